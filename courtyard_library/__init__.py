"""What the package `courtyard` offers to Python programs; import it from there.

`seats` fill a match, `match` plays it, `states` step through a game without one, `records` and
`ladders` read what was played.
"""

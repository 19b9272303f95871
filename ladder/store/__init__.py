"""The ladder's database. Nothing else in Courtyard speaks SQL.

`database` opens it and gives out transactions; `bots`, `matches` and `ratings` hold what can be
asked and done within one. A use case opens a transaction and calls them, so what belongs together
is stored together or not at all.
"""

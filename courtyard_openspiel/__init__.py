"""OpenSpiel's games on Courtyard's referee: "openspiel:hearts", "openspiel:leduc_poker".

A plug-in like any other: it imports the public contract `referee.games.plain` alone, and OpenSpiel
only once a game is asked for.
"""

"""`referee check-game`: holds a game to what every game promises, step by step."""

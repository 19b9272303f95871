"""`referee check`: tries the rules of docs/protocol.md on a bot, one step after the other."""

"""Start, limit, watch and kill the processes of bots."""

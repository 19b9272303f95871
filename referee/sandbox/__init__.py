"""How a bot's process is started, limited, watched and killed."""

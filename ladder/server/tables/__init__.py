"""Tables at which people play with bots, in a process of their own; nothing of them is rated."""

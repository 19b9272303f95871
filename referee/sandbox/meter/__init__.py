"""What processes use: the tree of them, their time."""

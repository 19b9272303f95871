"""What to play next: pure functions of the history."""

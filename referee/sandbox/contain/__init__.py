"""What a contained bot sees and may do: files, system calls, limits."""

"""What all rooms share: errors, faults, clocks, folders."""

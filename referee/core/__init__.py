"""The foundation of every room: errors, faults, clocks, folders."""

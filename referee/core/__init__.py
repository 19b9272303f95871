"""What every room uses: errors, faults, clocks, folders."""

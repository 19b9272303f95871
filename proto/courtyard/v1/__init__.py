"""Version 1 of the protocol: generated code, made by `make proto`."""

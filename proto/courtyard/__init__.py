"""The messages of Courtyard, one subpackage a protocol version."""

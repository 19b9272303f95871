"""Speaks a version of the protocol that does not exist yet."""

from courtyard_kit import connection
from courtyard_kit.courtisans import Position, run

connection.PROTOCOL_VERSION = 99

run(Position.random_action, name="wrong_version")

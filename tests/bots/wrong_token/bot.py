"""Says Hello with a token that it was not given."""

import os

from courtyard_kit.courtisans import Position, run

del os.environ["COURTYARD_TOKEN_FILE"]
os.environ["COURTYARD_TOKEN"] = "some-other-token"  # noqa: S105 -- that is the point

run(Position.random_action, name="wrong_token")

"""What the tests of the referee share."""

from tests.support.referees import *  # noqa: F403 -- its fixtures

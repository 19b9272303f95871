"""What the tests of several rooms share."""

from tests.support.ladders import *  # noqa: F403 -- its fixtures

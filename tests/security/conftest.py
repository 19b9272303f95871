"""What the tests against attackers share."""

from tests.support.ladders import *  # noqa: F403 -- its fixtures
from tests.support.postgresql import *  # noqa: F403
from tests.support.referees import *  # noqa: F403 -- its fixtures

"""What the integration tests share."""

from tests.support.ladders import *  # noqa: F403 -- its fixtures
from tests.support.postgresql import *  # noqa: F403

"""Which files of a bot's folder a ladder stores."""

from ladder.storage.bundles import Skip, nothing
from ladder.submission.ignored import Ignored
from referee.hosting.manifest import FILE_NAME, Manifest


def left_out(manifest: Manifest) -> Skip:
    """Return a filter of the files not stored: those that .gitignore names if there is a build.

    Of a remote bot only its bot.toml is stored; its program stays with its author. The bot.toml is
    always stored: the digest covers its name, its commands and its build steps.
    """
    if manifest.is_remote:
        return lambda name: name != FILE_NAME
    if not manifest.build:
        return nothing
    ignored = Ignored(manifest.directory)
    return lambda name: name != FILE_NAME and ignored.has(name)

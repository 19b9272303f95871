"""Decode text files as people save them: with a byte order mark or without, as Windows likes."""

import codecs

UTF_8_MARK = codecs.BOM_UTF8
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decoded(content: bytes) -> str:
    """Return a file's text without its byte order mark; raise `UnicodeDecodeError`.

    It is UTF-8, or UTF-16 if it has the mark of that: PowerShell 5 writes so.
    """
    return content.decode("utf-16" if content.startswith(_UTF_16_MARKS) else "utf-8-sig")

"""Answers REPLY_BYTES to every REQUEST_BYTES, over pipes: `echo.py REQUEST_BYTES REPLY_BYTES`."""

import os
import sys

request, reply = int(sys.argv[1]), b"x" * int(sys.argv[2])
left = request
while read := len(os.read(0, left)):
    left -= read
    if not left:
        os.write(1, reply)
        left = request

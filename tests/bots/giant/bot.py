"""Answers with a message that is larger than the protocol allows."""

import os
from pathlib import Path
from queue import SimpleQueue

import grpc
from courtyard.v1 import referee_pb2

token = Path(os.environ["COURTYARD_TOKEN_FILE"]).read_text()
hello = referee_pb2.Hello(protocol_version=1, name="giant", seat_token=token)
sent = SimpleQueue[bytes]()
sent.put(referee_pb2.BotMessage(hello=hello).SerializeToString())
with grpc.insecure_channel(os.environ["COURTYARD_ADDRESS"]) as channel:
    play: "grpc.StreamStreamMultiCallable[bytes, bytes]"
    play = channel.stream_stream("/courtyard.v1.Referee/Play")
    for data in play(iter(sent.get, None)):
        if referee_pb2.RefereeMessage.FromString(data).HasField("request"):
            sent.put(bytes(65_537))

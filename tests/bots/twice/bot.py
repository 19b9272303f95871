"""Sends every answer twice."""

import os
from pathlib import Path
from queue import SimpleQueue

import grpc
from courtyard.v1 import courtisans_pb2, referee_pb2


def answer(message: referee_pb2.RefereeMessage) -> bytes:
    """Play the cards as they stand in the hand, and eliminate no card: that is always legal."""
    request = message.request
    first, second, third = request.observation.courtisans.hand
    reply = referee_pb2.BotMessage(match_id=message.match_id)
    reply.decision.number = request.number
    action = reply.decision.action.courtisans
    action.table.card.CopyFrom(first)
    action.side = courtisans_pb2.SIDE_ABOVE
    action.own_domain.card.CopyFrom(second)
    action.opponent_domain.card.CopyFrom(third)
    action.opponent = request.legal.courtisans.opponents[0]
    return reply.SerializeToString()


token = Path(os.environ["COURTYARD_TOKEN_FILE"]).read_text()
hello = referee_pb2.Hello(protocol_version=1, name="twice", seat_token=token)
sent = SimpleQueue[bytes]()
sent.put(referee_pb2.BotMessage(hello=hello).SerializeToString())
with grpc.insecure_channel(os.environ["COURTYARD_ADDRESS"]) as channel:
    play: "grpc.StreamStreamMultiCallable[bytes, bytes]"
    play = channel.stream_stream("/courtyard.v1.Referee/Play")
    for data in play(iter(sent.get, None)):
        message = referee_pb2.RefereeMessage.FromString(data)
        if message.HasField("request"):
            sent.put(answer(message))
            sent.put(answer(message))

"""Messages of every decision: observations, legal forms and events."""

from collections.abc import Mapping

from courtyard.v1 import miracles_pb2 as pb

from referee.games.miracles import event as events
from referee.games.miracles.event import Event
from referee.games.miracles.observation import Control
from referee.wire.encoding import field
from referee.wire.miracles.parts import (
    Encode,
    Write,
    kinds,
    message,
    number,
    numbers,
    optional,
    place,
    places,
    record,
    repeated,
    repeated_often,
    spot,
    spots,
)

_rogue_in_play = record(spot, number, number, number)
_some_control = record(optional, number)


def _control(control: Control | None) -> bytes:
    return _some_control(control) if control else b""


_player = record(number, number, number, numbers, number, number)
_standoff = record(number, numbers, optional, number)

encode_observation: Encode = record(
    number,  # seat
    number,  # round
    number,  # turn
    number,  # active
    optional,  # to_act
    number,  # decision
    spot,  # placed
    number,  # visited
    number,  # acted
    number,  # plot_played
    number,  # emperor
    number,  # king
    number,  # king_stopped
    repeated_often(_player),
    repeated_often(_control),
    repeated_often(_rogue_in_play),
    numbers,  # rogues
    number,  # drawn
    numbers,  # plots
    number,  # playing
    numbers,  # discards
    number,  # pile_size
    number,  # bag_size
    number,  # seine_size
    numbers,  # sunk
    message(_standoff),
    numbers,  # pending
)
"""Encodes an Observation as a MiraclesObservation."""

encode_legal: Encode = record(
    number,  # decision
    numbers,  # rogues
    spots,  # origins
    spots,  # targets
    number,  # may_stay
    number,  # perform
    numbers,  # lines
    number,  # end_turn
    numbers,  # cards
    numbers,  # neighbourhoods
    places,  # empress_tokens
    numbers,  # empress_targets
    numbers,  # devil_opponents
    spots,  # hanged_man_spots
    spots,  # chariot_origins
    spots,  # tower_spots
    spots,  # hermit_spots
    number,  # fool_spaces
    number,  # plot_first
    numbers,  # playable
)
"""Encodes a Legal as a MiraclesLegal."""

_FIELDS: Mapping[type[Event], tuple[Write, ...]] = {
    events.TurnStarted: (number, number, number),
    events.RoguePlaced: (number, spot, number),
    events.RogueMoved: (number, number, spot, spot),
    events.RoguesSwapped: (number, spot, spot),
    events.RogueReturned: (number, number, spot),
    events.RogueSeen: (number, spot, number, number),
    events.RogueDrawn: (number, number),
    events.RogueSunk: (number, number, optional),
    events.ActionPerformed: (number, number),
    events.CoinsMoved: (optional, optional, number, number),
    events.KingMoved: (number, number, number),
    events.PlotsDrawn: (number, number, numbers),
    events.PlotDiscarded: (number, number),
    events.PlotPlayed: (number, number),
    events.PileReshuffled: (number,),
    events.RenownPlaced: (number, place, number),
    events.RenownMoved: (number, place, number),
    events.RenownReturned: (number, number, number),
    events.RightHandTaken: (number,),
    events.WrathChosen: (number, number),
    events.StandoffStarted: (number,),
    events.RoguesRevealed: (repeated_often(_rogue_in_play),),
    events.LoneKept: (number, spot),
    events.SwordsmanAnswered: (number, spot, number),
    events.StandoffWon: (number, number, repeated(record(number, number))),
    events.StandoffEnded: (number,),
    events.GameEnded: (number,),
}

_SENT = kinds(pb.MiraclesEvent)
_KINDS = {kind: (_SENT[kind.__name__].number, record(*writes)) for kind, writes in _FIELDS.items()}


def encode_event(event: Event) -> bytes:
    """Encode an event in any form as a MiraclesEvent."""
    at, encode = _KINDS[type(event)]
    return field(at, encode(event))

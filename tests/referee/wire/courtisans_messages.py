"""The messages of Courtisans built with the protobuf library alone, field by field, by name.

They share nothing with the bytes under test: enum values go by the names in the .proto file.
"""

from collections.abc import Iterable
from enum import IntEnum

from courtyard.v1 import courtisans_pb2 as pb
from courtyard.v1 import game_pb2

from referee.games.courtisans.action import Action, Placement
from referee.games.courtisans.cards import Card
from referee.games.courtisans.deal import Deal
from referee.games.courtisans.event import Placed, TurnPlayed
from referee.games.courtisans.observation import CardInPlay, Eliminated, Legal, Observation
from referee.games.courtisans.scoring import Result


def _named(enum: str, member: IntEnum | None) -> str:
    return f"{enum}_{member.name if member else 'UNSPECIFIED'}"


def _card(card: Card) -> pb.CourtisansCard:
    return pb.CourtisansCard(family=_named("FAMILY", card.family), role=_named("ROLE", card.role))


def _cards(cards: Iterable[Card]) -> list[pb.CourtisansCard]:
    return [_card(card) for card in cards]


def _in_play(card: CardInPlay) -> pb.CourtisansCardInPlay:
    return pb.CourtisansCardInPlay(
        turn=card.turn,
        played_by=card.played_by,
        role=_named("ROLE", card.role),
        family=_named("FAMILY", card.family),
        side=_named("SIDE", card.side),
    )


def _eliminated(eliminated: Eliminated) -> pb.CourtisansEliminated:
    return pb.CourtisansEliminated(card=_in_play(eliminated.card), domain=eliminated.domain)


def observation_message(observation: Observation) -> game_pb2.GameObservation:
    """What a seat may know; the seat is to act."""
    return game_pb2.GameObservation(
        courtisans=pb.CourtisansObservation(
            seat=observation.seat,
            turn=observation.turn,
            to_act=observation.to_act,
            deck_size=observation.deck_size,
            turns_left=observation.turns_left,
            hand=_cards(observation.hand),
            white_mission=_named("MISSION", observation.white),
            blue_mission=_named("MISSION", observation.blue),
            table=[_in_play(card) for card in observation.table],
            domains=[
                pb.CourtisansDomain(cards=[_in_play(card) for card in domain])
                for domain in observation.domains
            ],
            eliminated=[_eliminated(card) for card in observation.eliminated],
        )
    )


def legal_message(legal: Legal) -> game_pb2.GameLegal:
    """What the seat to act may do."""
    return game_pb2.GameLegal(
        courtisans=pb.CourtisansLegal(
            opponents=legal.opponents,
            table_targets=pb.CourtisansTargets(turns=legal.table_targets),
            domain_targets=[pb.CourtisansTargets(turns=turns) for turns in legal.domain_targets],
        )
    )


def _placement(placement: Placement) -> pb.CourtisansPlacement:
    return pb.CourtisansPlacement(card=_card(placement.card), eliminates=placement.eliminates)


def action_message(action: Action) -> game_pb2.GameAction:
    """A whole turn."""
    return game_pb2.GameAction(
        courtisans=pb.CourtisansAction(
            table=_placement(action.table),
            side=_named("SIDE", action.side),
            own_domain=_placement(action.own_domain),
            opponent_domain=_placement(action.opponent_domain),
            opponent=action.opponent,
        )
    )


def _placed(placed: Placed) -> pb.CourtisansPlaced:
    return pb.CourtisansPlaced(card=_in_play(placed.card), eliminated=placed.eliminated)


def event_message(event: TurnPlayed) -> game_pb2.GameEvent:
    """One form of a turn that was played."""
    return game_pb2.GameEvent(
        courtisans=pb.CourtisansEvent(
            turn_played=pb.CourtisansTurnPlayed(
                turn=event.turn,
                seat=event.seat,
                table=_placed(event.table),
                own_domain=_placed(event.own_domain),
                opponent_domain=_placed(event.opponent_domain),
                opponent=event.opponent,
                drawn=_cards(event.drawn),
            )
        )
    )


def deal_message(deal: Deal) -> game_pb2.GameDeal:
    """Everything that chance decided."""
    return game_pb2.GameDeal(
        courtisans=pb.CourtisansDeal(
            removed=_cards(deal.removed),
            deck=_cards(deal.deck),
            hands=[pb.CourtisansHand(cards=_cards(hand)) for hand in deal.hands],
            missions=[
                pb.CourtisansMissions(white=_named("MISSION", white), blue=_named("MISSION", blue))
                for white, blue in deal.missions
            ],
            starting_seat=deal.starting_seat,
        )
    )


def result_message(result: Result) -> game_pb2.GameResult:
    """How a game ended."""
    return game_pb2.GameResult(
        courtisans=pb.CourtisansResult(
            families=[
                pb.CourtisansFamilyResult(
                    family=_named("FAMILY", family.family),
                    above=family.above,
                    below=family.below,
                    status=_named("STATUS", family.status),
                )
                for family in result.families
            ],
            seats=[
                pb.CourtisansSeatResult(
                    points=seat.points,
                    families=[
                        pb.CourtisansFamilyPoints(
                            family=_named("FAMILY", part.family),
                            weight=part.weight,
                            points=part.points,
                        )
                        for part in seat.families
                    ],
                    missions=[
                        pb.CourtisansMissionResult(
                            mission=_named("MISSION", part.mission),
                            fulfilled=part.fulfilled,
                            points=part.points,
                        )
                        for part in seat.missions
                    ],
                )
                for seat in result.seats
            ],
            spies=[
                pb.CourtisansRevealedSpy(
                    turn=spy.turn,
                    domain=spy.domain,
                    family=_named("FAMILY", spy.family),
                    eliminated=spy.eliminated,
                )
                for spy in result.spies
            ],
        )
    )

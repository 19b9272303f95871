"""What each role does, told as short games."""

from collections.abc import Callable

import pytest

from referee.games.courtisans.action import Action
from referee.games.courtisans.cards import Card, Family, Role, Side
from referee.games.courtisans.config import Config
from referee.games.courtisans.observation import CardInPlay, Eliminated
from referee.games.courtisans.scoring import RevealedSpy, Status
from referee.games.courtisans.state import CourtisansState, final_result

Tell = Callable[..., CourtisansState]


def turns(cards: tuple[CardInPlay, ...]) -> list[int]:
    """The turns that name some cards."""
    return [card.turn for card in cards]


def ended(state: CourtisansState) -> CourtisansState:
    """The same position, as if all turns were played."""
    return state._replace(to_act=None, final=final_result(state))


def test_each_card_lies_where_it_was_put(tell: Tell) -> None:
    """One card at the table on its side, one in the own domain, one in the opponent's."""
    seen = tell(3, "carp noble below | plain hare | toad guard to 2").observation(1)

    assert seen.table == (CardInPlay(1, 0, Role.NOBLE, Family.CARP, Side.BELOW),)
    assert seen.domains == (
        (CardInPlay(1, 0, Role.PLAIN, Family.HARE, None),),
        (),
        (CardInPlay(1, 0, Role.GUARD, Family.TOAD, None),),
    )
    assert (seen.turn, seen.to_act, seen.turns_left) == (2, 1, (7, 8, 8))


def test_the_player_draws_three_from_the_deck(tell: Tell, turn: Callable[[str], Action]) -> None:
    """After its turn a seat holds the next three cards of the deck, and no other has changed."""
    before = tell(2, hand="carp noble, plain hare, toad guard")
    after, _ = before.apply(turn("carp noble below | plain hare | toad guard to 1"))

    assert after.deck == before.deck[3:]
    assert after.hands == (tuple(sorted(before.deck[:3])), before.hands[1])


def test_an_assassin_may_spare_everybody(tell: Tell) -> None:
    """Eliminating is optional."""
    seen = tell(
        2,
        "carp noble above | plain hare | toad guard to 1",
        "stag assassin above | carp assassin | toad assassin to 0",
    ).observation(0)

    assert seen.eliminated == ()
    assert turns(seen.table) == [1, 2]


@pytest.mark.parametrize("side", ["above", "below"])
@pytest.mark.parametrize("killer_side", ["above", "below"])
def test_an_assassin_eliminates_at_the_table(tell: Tell, side: str, killer_side: str) -> None:
    """At the table every family on either side is within reach."""
    seen = tell(
        2,
        f"carp noble {side} | plain hare | toad guard to 1",
        f"stag assassin {killer_side} kills 1 | plain carp | plain toad to 0",
    ).observation(0)

    assert turns(seen.table) == [2]
    card = CardInPlay(1, 0, Role.NOBLE, Family.CARP, Side[side.upper()])
    assert seen.eliminated == (Eliminated(card, None),)


def test_an_assassin_eliminates_a_spy_in_the_queens_column(tell: Tell) -> None:
    """A face-down card may be eliminated; only its player goes on knowing its family."""
    state = tell(
        2,
        "carp spy above | plain hare | toad guard to 1",
        "stag assassin below kills 1 | plain carp | plain toad to 0",
    )
    spy = CardInPlay(1, 0, Role.SPY, Family.CARP, Side.ABOVE)

    assert state.observation(0).eliminated == (Eliminated(spy, None),)
    assert state.observation(1).eliminated == (Eliminated(spy._replace(family=None), None),)
    assert turns(state.observation(0).table) == [2]


def test_an_assassin_eliminates_in_the_own_domain(tell: Tell) -> None:
    """Whichever seat put the card there."""
    seen = tell(
        2,
        "carp noble above | plain hare | toad noble to 1",
        "plain stag above | stag assassin kills 1 | plain toad to 0",
    ).observation(0)

    assert [turns(domain) for domain in seen.domains] == [[1, 2], [2]]
    card = CardInPlay(1, 0, Role.NOBLE, Family.TOAD, None)
    assert seen.eliminated == (Eliminated(card, 1),)


def test_an_assassin_eliminates_in_the_opponents_domain(tell: Tell) -> None:
    """The card falls in that domain alone, though other areas hold a card of the same turn."""
    seen = tell(
        3,
        "carp noble above | plain hare | toad noble to 1",
        "plain stag above | plain carp | stag assassin to 0 kills 1",
    ).observation(0)

    assert [turns(domain) for domain in seen.domains] == [[2], [1, 2], []]
    assert turns(seen.table) == [1, 2]
    assert seen.eliminated == (Eliminated(CardInPlay(1, 0, Role.PLAIN, Family.HARE, None), 0),)


def test_an_assassin_eliminates_an_assassin(tell: Tell) -> None:
    """Another assassin is a legal target."""
    seen = tell(
        2,
        "carp assassin above | plain hare | toad noble to 1",
        "stag assassin above kills 1 | plain carp | plain toad to 0",
    ).observation(0)

    assert seen.table == (CardInPlay(2, 1, Role.ASSASSIN, Family.STAG, Side.ABOVE),)


def test_three_assassins_eliminate_in_three_areas(tell: Tell) -> None:
    """Each in its own area, listed in the order table, own domain, opponent's domain."""
    seen = tell(
        2,
        "carp noble above | plain hare | toad noble to 1",
        "stag assassin above kills 1 | carp assassin kills 1 | toad assassin to 0 kills 1",
    ).observation(1)

    assert [(gone.card.role, gone.domain) for gone in seen.eliminated] == [
        (Role.NOBLE, None),
        (Role.NOBLE, 1),
        (Role.PLAIN, 0),
    ]
    assert [turns(domain) for domain in seen.domains] == [[2], [2]]


def test_cards_keep_the_order_of_their_placing(tell: Tell) -> None:
    """A gap that an assassin made closes."""
    seen = tell(
        2,
        "carp noble above | plain hare | toad noble to 1",
        "carp noble below | plain hare | toad noble to 0",
        "carp noble above | plain hare | toad noble to 1",
        "stag assassin below kills 2 | plain carp | plain toad to 0",
    ).observation(1)

    assert turns(seen.table) == [1, 3, 4]


def test_guards_are_no_targets(tell: Tell) -> None:
    """The legal form leaves guards out, and lists everybody else by turn."""
    legal = tell(
        3,
        "carp guard above | plain hare | toad guard to 1",
        "carp spy below | carp noble | stag assassin to 0",
        "toad noble above | toad spy | plain carp to 1",
        hand="hare assassin, plain stag, plain stag",
    ).legal()

    assert legal.opponents == (1, 2)
    assert legal.table_targets == (2, 3)
    assert legal.domain_targets == ((1, 2), (2, 3), (3,))


def test_without_an_assassin_there_are_no_targets(tell: Tell) -> None:
    """The target lists are empty when no card in the hand could use them."""
    story = ("plain carp above | plain hare | toad noble to 1",)
    legal = tell(2, *story, hand="plain stag, stag noble, stag spy").legal()

    assert legal == ((0,), (), ((), ()))


def test_a_spy_is_known_to_its_player_alone(tell: Tell) -> None:
    """The others see that it is a spy, its place, its player and its turn, not its family."""
    state = tell(3, "carp spy below | hare spy | toad spy to 2")
    own, other, host = (state.observation(seat) for seat in range(3))

    assert own.table == (CardInPlay(1, 0, Role.SPY, Family.CARP, Side.BELOW),)
    assert own.domains[2] == (CardInPlay(1, 0, Role.SPY, Family.TOAD, None),)
    assert other.table == (CardInPlay(1, 0, Role.SPY, None, Side.BELOW),)
    assert other.domains == host.domains
    assert [card.family for domain in host.domains for card in domain] == [None, None]


def test_spies_go_to_their_familys_column_at_the_end(tell: Tell) -> None:
    """On the side where they lay; in a domain they count there with their family."""
    state = tell(
        2,
        "carp spy above | carp spy | hare spy to 1",
        "hare spy below | plain toad | plain stag to 0",
    )
    result = ended(state).result()
    status = {family.family: family.status for family in result.families}

    assert status[Family.CARP] is Status.ESTEEMED
    assert status[Family.HARE] is Status.FALLEN
    assert [(part.family, part.points) for part in result.seats[0].families] == [
        (Family.STAG, 0),
        (Family.CARP, 1),
    ]
    assert [(part.family, part.points) for part in result.seats[1].families] == [
        (Family.TOAD, 0),
        (Family.HARE, -1),
    ]
    assert result.spies == (
        RevealedSpy(1, None, Family.CARP, eliminated=False),
        RevealedSpy(1, 0, Family.CARP, eliminated=False),
        RevealedSpy(1, 1, Family.HARE, eliminated=False),
        RevealedSpy(2, None, Family.HARE, eliminated=False),
    )


@pytest.mark.parametrize("reveal", [False, True])
def test_eliminated_spies_count_nothing(*, tell: Tell, reveal: bool) -> None:
    """They are named at the end only if the configuration says so, and never score."""
    state = tell(
        2,
        "carp spy above | carp spy | hare spy to 1",
        "hare assassin below kills 1 | stag assassin kills 1 | toad assassin to 0 kills 1",
        config=Config(reveal_eliminated_spies=reveal),
    )
    result = ended(state).result()
    revealed = (
        RevealedSpy(1, None, Family.CARP, eliminated=True),
        RevealedSpy(1, 0, Family.CARP, eliminated=True),
        RevealedSpy(1, 1, Family.HARE, eliminated=True),
    )

    assert result.families[5][1:] == (0, 0, Status.NEUTRAL)
    assert [part.family for part in result.seats[0].families] == [Family.TOAD]
    assert [part.family for part in result.seats[1].families] == [Family.STAG]
    assert result.spies == (revealed if reveal else ())


def test_the_noble_weight_of_missions_comes_from_the_configuration(tell: Tell) -> None:
    """A noble against two others is "fewer" only if it counts as one."""
    story = ("carp noble above | hare noble | plain hare to 1", "plain carp above | hare guard | ")
    for weight, fulfilled in ((2, False), (1, True)):
        state = tell(
            2,
            story[0],
            story[1] + "plain toad to 0",
            config=Config(noble_weight_in_missions=weight),
        )
        missions = list(state.deal.missions)
        missions[0] = (type(missions[0][0]).FEWER_HARES, missions[0][1])
        dealt = state._replace(deal=state.deal._replace(missions=tuple(missions)))
        assert ended(dealt).result().seats[0].missions[0].fulfilled is fulfilled


def test_the_hand_is_shown_sorted(tell: Tell, card: Callable[[str], Card]) -> None:
    """By family, then by role, however it was dealt."""
    state = tell(2, hand="stag noble, plain stag, butterfly guard")
    assert state.observation(0).hand == (
        card("butterfly guard"),
        card("plain stag"),
        card("stag noble"),
    )


def test_a_drawn_card_is_told_to_its_drawer_alone(tell: Tell) -> None:
    """The others' form of the event holds no card drawn, not even a number of cards."""
    state = tell(3, hand="carp spy, plain hare, toad noble")
    after, (event,) = state.apply(state.legal_actions()[0])

    assert event.drawn == state.deck[:3]
    assert after.event_for(event, 0) is event
    assert after.event_for(event, 1).drawn == after.event_for(event, 2).drawn == ()

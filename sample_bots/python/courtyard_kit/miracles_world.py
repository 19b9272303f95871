"""The rules of La Cour des Miracles once more, quick to copy and to play on.

Actions are those of the rules; what is given to `apply` must be legal.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from courtyard_kit.miracles import Action, Position, Rogue
from courtyard_kit.miracles_pieces import (
    ALL_SEATS,
    GRANDE_COUR,
    LE_CHATELET,
    TAVERNE,
    Pieces,
    Step,
    spot_number,
)
from referee.games.miracles import action as actions
from referee.games.miracles.agenda import (
    AbilityStep,
    ActStep,
    CloseStep,
    CourtesanStep,
    DrawStep,
    EffectStep,
    EndStep,
    FinishPlotStep,
    LoneStep,
    OrderStep,
    PlaceStep,
    SinkStep,
    StandoffsStep,
    SwordsmanStep,
    WinnerStep,
    WrathStep,
)
from referee.games.miracles.data import Effect, EffectKind
from referee.games.miracles.deal import reshuffled
from referee.games.miracles.pieces import HAND_LIMIT, RANKS, RENOWN_TOKENS
from referee.games.miracles.plots import card_of
from referee.games.miracles.state import initial_state


def worlds(position: Position) -> "Iterator[World]":
    """Yield what `position.redraws()` does, in a third of the time."""
    for deal, done in position.courses():
        world = World(initial_state(position.config, position.seats, deal))
        for action in done:
            world.apply(action)
        yield world


class World(Pieces):
    """One game at one moment, all of it known."""

    def apply(self, action: Action) -> None:
        """Do what a seat decides, and all that follows up to the next decision."""
        if does := self._ACTIONS.get(type(action)):
            does(self, action)
        else:
            self._play(action)
        agenda, asked, runs = self.agenda, self._ASKS, self._RUNS
        while agenda:
            step = agenda[-1]
            kind = step[0]
            if (asks := asked.get(kind)) and asks(self, step):
                return
            agenda.pop()
            if run := runs.get(kind):
                run(self, step)

    def _then(self, *following: Step) -> None:
        if not self.over:
            self.agenda.extend(following[::-1])

    def _end(self) -> None:
        self.agenda.clear()
        self.over = True

    # A turn

    def _place(self, action: actions.PlaceRogue) -> None:
        rogue, at, plot_first = action
        seat, spot = self.active, spot_number(at)
        self.hands[seat].remove(rogue)
        self.owners[spot], self.faces[spot], self.seers[spot] = seat, rogue, 1 << seat
        self._arrive(spot, plot_first=plot_first)

    def _move(self, action: actions.MoveRogue) -> None:
        self._shift(action)
        self._arrive(spot_number(action.target), plot_first=action.plot_first)

    def _arrive(self, spot: int, *, plot_first: bool) -> None:
        self.agenda.pop()
        self.placed, self.visited = spot, spot // 3
        if plot_first:
            self._then((EffectStep, self.active, spot))
        else:
            self._effect(self.active, self.print.effects[spot])

    def _take_effect(self, _: actions.TakeEffect) -> None:
        _, seat, spot = self.agenda.pop()
        self._effect(seat, self.print.effects[spot])

    def _shift(self, action: Any) -> None:
        """Move a rogue without the effect of the spot."""
        origin, target = spot_number(action.origin), spot_number(action.target)
        owners, faces, seers = self.owners, self.faces, self.seers
        rogue = owners[origin], faces[origin], seers[origin]
        owners[origin] = None
        owners[target], faces[target], seers[target] = rogue
        if self.placed == origin:
            self.placed = target

    def _perform(self, action: Any) -> None:
        seat, place = self.active, self.visited or 0
        possible = self.can_act()
        self.acted = True
        line = action.line if type(action) is actions.BuyRenown else 0
        if line:
            self.coins[seat] -= self.print.lines[line].cost
        controller = self.controls[place]
        if controller is not None:
            self.coins[controller] += 1
        if line:
            self.lines[seat].append(line)
            self._count_renown(seat)
            self._effect(seat, self.print.lines[line].bonus)
        elif type(action) is actions.MoveOther:
            self._shift(action)
        elif possible:
            self._plain_action(seat, place)

    def _plain_action(self, seat: int, place: int) -> None:
        if place == TAVERNE:
            self._recruit()
        elif place == LE_CHATELET:
            self._then((DrawStep, seat, 1))
        elif place == GRANDE_COUR:
            self.coins[seat] += 2

    def _recruit(self) -> None:
        if self.hands[self.active] and self.bag:
            self.drawn = self.bag.pop()
            self._then((SinkStep, self.active))

    def _sink(self, action: actions.SinkRogue) -> None:
        seat = self.agenda.pop()[1]
        if action.rogue is not None:
            self.hands[seat].remove(action.rogue)
            self.hands[seat].append(self.drawn)
        self.drawn = None

    def _discard(self, action: actions.DiscardPlot) -> None:
        self.plots[self.agenda[-1][1]].remove(action.card)
        self.discards.append(action.card)

    def _end_turn(self, _: actions.EndTurn) -> None:
        self.agenda.pop()

    def _next_turn(self, _: Step) -> None:
        if self.king == self.print.final or self.turn == self.seats * self.config.max_rounds:
            self._end()
            return
        seat = self.active = (self.active + 1) % self.seats
        self.turn += 1
        self.placed = self.visited = None
        self.acted = self.plot_played = self.emperor = self.king_stopped = False
        self.agenda += ((EndStep, seat), (StandoffsStep, seat), (ActStep, seat), (PlaceStep, seat))

    # What several rules share

    def _effect(self, seat: int, effect: Effect) -> None:
        if self.over:
            return
        kind, amount = effect
        if kind is EffectKind.COIN:
            self.coins[seat] += amount
        elif kind is EffectKind.PLOT:
            self._then((DrawStep, seat, amount))
        elif kind is EffectKind.KING:
            self._move_king(amount)
        elif not self.right_hands[seat]:
            self.right_hands[seat] = True
            self.hands[seat].append(Rogue.RIGHT_HAND)

    def _move_king(self, spaces: int) -> None:
        final = self.print.final
        target = min(self.king + spaces, final)
        while self.king < target and not self.king_stopped:
            self.king += 1
            self.king_stopped = self.king in self.print.wraths
        if self.king == final and self.config.king_ends_at_once:
            self._end()

    def _draw(self, step: Step) -> None:
        _, seat, number = step
        for _ in range(number):
            if not self.pile:
                self.reshuffles += 1
                pile = reshuffled(self.deal, self.reshuffles, tuple(self.discards))
                self.pile, self.discards = [*reversed(pile)], []
            self.plots[seat].append(self.pile.pop())

    def _take_control(self, seat: int, place: int) -> None:
        again = self.controls[place] == seat
        if again and not self.config.controller_places_again:
            return
        if not again:
            self._lose_control(place)
        self.controls[place] = seat
        self.tokens[place] += 1
        self._count_renown(seat)

    def _lose_control(self, place: int) -> None:
        if (controller := self.controls[place]) is not None:
            self.renown[controller] -= self.tokens[place]
            self.controls[place], self.tokens[place] = None, 0

    def _count_renown(self, seat: int) -> None:
        self.renown[seat] += 1
        if self.renown[seat] == RENOWN_TOKENS:
            self._end()

    def _take_off(self, spot: int) -> None:
        owner = self.owners[spot]
        self.hands[owner or 0].append(self.faces[spot])
        self.owners[spot] = None
        if self.placed == spot:
            self.placed = None

    def _pay(self, payer: int, receiver: int, most: int) -> None:
        amount = min(most, self.coins[payer])
        self.coins[payer] -= amount
        self.coins[receiver] += amount

    # Plot cards

    def _play(self, action: Any) -> None:
        seat, card = self.active, card_of(action)
        self.plots[seat].remove(card)
        self.plot_played, self.playing = True, card
        self._then((FinishPlotStep, seat))
        self._CARDS[card](self, action, self.print.amounts[card])

    def _finish(self, _: Step) -> None:
        if self.playing:
            self.discards.append(self.playing)
            self.playing = None

    def _strength(self, _: Action, __: int) -> None:
        self._recruit()

    def _empress(self, action: actions.PlayEmpress, _: int) -> None:
        (place, line), target = action
        if place is None:
            self.lines[self.active].remove(line)
        else:
            self.tokens[place - 1] -= 1
            if not self.tokens[place - 1]:
                self.controls[place - 1] = None
        self.controls[target - 1], self.tokens[target - 1] = self.active, 1

    def _judgment(self, _: Action, amount: int) -> None:
        seat, seats = self.active, self.seats
        for other in [(seat + more) % seats for more in range(1, seats)]:
            if self.renown[other] > self.renown[seat]:
                self._pay(other, seat, amount)

    def _sun(self, _: Action, amount: int) -> None:
        self.coins[self.active] += amount

    def _wheel(self, _: Action, amount: int) -> None:
        self._then((DrawStep, self.active, amount))

    def _devil(self, action: actions.PlayDevil, amount: int) -> None:
        self._pay(action.opponent, self.active, amount)

    def _hanged_man(self, action: actions.PlayHangedMan, _: int) -> None:
        self._take_off(spot_number(action.spot))

    def _chariot(self, action: actions.PlayChariot, _: int) -> None:
        self._shift(action)

    def _tower(self, action: actions.PlayTower, _: int) -> None:
        one, other = spot_number(action.first), spot_number(action.second)
        self.swap(one, other)
        if self.placed in (one, other):
            self.placed = other if self.placed == one else one

    def _hermit(self, action: actions.PlayHermit, _: int) -> None:
        self.seers[spot_number(action.spot)] |= 1 << self.active

    def _fool(self, action: actions.PlayFool, _: int) -> None:
        self._move_king(action.spaces)

    def _emperor(self, _: Action, __: int) -> None:
        self.emperor = True

    # Standoffs

    def _find_due(self, step: Step) -> None:
        seat = step[1]
        counts = [len(self.there(place)) for place in range(5)]
        due = tuple([place for place in range(5) if counts[place] == len(RANKS)])
        wrath = self.print.wraths[self.king] if self.king_stopped else None
        if wrath is None:
            self._then((OrderStep, seat, due))
        elif wrath >= 0:
            self._hit(seat, due, wrath)
        else:
            empty = self.config.wrath_on_empty
            choices = tuple([place for place in range(5) if counts[place] or empty])
            self._then((WrathStep, seat, choices, due))

    def _hit(self, seat: int, due: tuple[int, ...], place: int) -> None:
        if self.there(place):
            due = tuple(sorted({*due, place}))
        self._then((OrderStep, seat, due))

    def _hit_only(self, step: Step) -> None:
        _, seat, choices, due = step
        self._hit(seat, due, choices[0])

    def _choose_wrath(self, action: actions.ChooseWrath) -> None:
        _, seat, _, due = self.agenda.pop()
        self._hit(seat, due, action.neighbourhood - 1)

    def _settle(self, action: actions.SettleNext) -> None:
        self._begin(self.agenda.pop(), action.neighbourhood - 1)

    def _settle_first(self, step: Step) -> None:
        if step[2]:
            self._begin(step, step[2][0])

    def _begin(self, step: Step, place: int) -> None:
        _, seat, due = step
        self.contested, self.paid, self.winner = place, [], None
        rest = tuple([other for other in due if other != place])
        self._then((WinnerStep, seat), (CloseStep, seat), (OrderStep, seat, rest))
        there = self.there(place)
        if len(there) == 1:
            self._then((LoneStep, self.owners[there[0]], there[0]))
            return
        swordsmen = []
        for spot in there:
            self.seers[spot] = ALL_SEATS
            if self.faces[spot] is Rogue.SWORDSMAN:
                swordsmen.append((SwordsmanStep, self.owners[spot], spot))
        if not self.config.nearest_swordsman_first:
            swordsmen.reverse()
        self._then(*swordsmen)

    def _answer_lone(self, action: actions.RevealLone) -> None:
        spot = self.agenda.pop()[2]
        if action.reveals:
            self.seers[spot] = ALL_SEATS

    def _answer_swordsman(self, action: actions.PaySwordsman) -> None:
        _, seat, spot = self.agenda.pop()
        if action.pays:
            self.paid.append(spot)
            self.coins[seat] -= self.print.rogues[Rogue.SWORDSMAN].price

    def _decide(self, _: Step) -> None:
        place = self.contested or 0
        there = self.there(place)
        shown = [spot for spot in there if self.seers[spot] == ALL_SEATS]
        if shown:
            # The first of equals has the rogue that is closest to the crown.
            totals = self.totals(shown, self.paid)
            winner = max(totals, key=totals.__getitem__)
        else:
            winner = self.owners[there[0]] or 0
        self.winner = winner
        self.agenda += [(AbilityStep, self.owners[spot], spot) for spot in shown]
        if any(self.owners[s] == winner and self.faces[s] is Rogue.COURTESAN for s in shown):
            choices = self._courtesan_choices(winner, place)
            if len(choices) > 1:
                self._then((CourtesanStep, winner, choices))
                return
        self._take_control(winner, place)

    def _courtesan_choices(self, winner: int, contested: int) -> tuple[int, ...]:
        again = self.config.controller_places_again
        return tuple(
            [
                place
                for place in range(5)
                if place == contested or again or self.controls[place] != winner
            ]
        )

    def _use_courtesan(self, action: actions.UseCourtesan) -> None:
        seat, place = self.agenda.pop()[1], action.neighbourhood - 1
        contested = self.contested or 0
        frees = place != contested and self.config.courtesan_frees_contested
        if frees and self.controls[contested] != seat:
            self._lose_control(contested)
        self._take_control(seat, place)

    def _ability(self, step: Step) -> None:
        _, seat, spot = step
        rogue = self.faces[spot]
        data = self.print.rogues[rogue]
        if self.winner == seat:
            if rogue is Rogue.PICKPOCKET:
                self.coins[seat] += data.coins
            elif rogue is Rogue.DEFROCKED_PRIEST:
                self._then((DrawStep, seat, data.plots))
        elif rogue is Rogue.SOOTHSAYER:
            self.coins[seat] += data.coins
            self._then((DrawStep, seat, data.plots))
        elif rogue is Rogue.BEGGAR and self.winner is not None:
            before = range(spot - spot % 3, spot)
            if not any(self.faces[s] is rogue and self.owners[s] is not None for s in before):
                self._pay(self.winner, seat, data.coins)

    def _close(self, _: Step) -> None:
        for spot in self.there(self.contested or 0):
            self._take_off(spot)
        self.contested = None

    # What comes by a step of the agenda, by its kind

    def _asks_always(self, _: Step) -> bool:
        return True

    def _asks_act(self, _: Step) -> bool:
        for_income = self.config.income_without_action and not self.acted
        return self.may_play() or self.can_act() or for_income

    def _asks_draw(self, step: Step) -> bool:
        return bool(len(self.plots[step[1]]) + step[2] > HAND_LIMIT)

    def _asks_effect(self, _: Step) -> bool:
        return self.may_play()

    def _asks_among(self, step: Step) -> bool:
        return len(step[2]) > 1

    def _asks_swordsman(self, step: Step) -> bool:
        return bool(self.coins[step[1]] >= self.print.rogues[Rogue.SWORDSMAN].price)

    def _effect_of(self, step: Step) -> None:
        self._effect(step[1], self.print.effects[step[2]])

    _ASKS: ClassVar[Mapping[type[Any], Callable[..., bool]]] = {
        PlaceStep: _asks_always,
        EffectStep: _asks_effect,
        ActStep: _asks_act,
        DrawStep: _asks_draw,
        SinkStep: _asks_always,
        WrathStep: _asks_among,
        OrderStep: _asks_among,
        LoneStep: _asks_always,
        SwordsmanStep: _asks_swordsman,
        CourtesanStep: _asks_always,
    }
    """Whether a step needs a decision."""
    _RUNS: ClassVar[Mapping[type[Any], Callable[..., None]]] = {
        EffectStep: _effect_of,
        DrawStep: _draw,
        FinishPlotStep: _finish,
        StandoffsStep: _find_due,
        WrathStep: _hit_only,
        OrderStep: _settle_first,
        WinnerStep: _decide,
        AbilityStep: _ability,
        CloseStep: _close,
        EndStep: _next_turn,
    }
    """What a step does that needs none."""
    _ACTIONS: ClassVar[Mapping[type[Any], Callable[..., None]]] = {
        actions.PlaceRogue: _place,
        actions.MoveRogue: _move,
        actions.TakeEffect: _take_effect,
        actions.PerformAction: _perform,
        actions.BuyRenown: _perform,
        actions.MoveOther: _perform,
        actions.EndTurn: _end_turn,
        actions.SinkRogue: _sink,
        actions.DiscardPlot: _discard,
        actions.ChooseWrath: _choose_wrath,
        actions.SettleNext: _settle,
        actions.PaySwordsman: _answer_swordsman,
        actions.RevealLone: _answer_lone,
        actions.UseCourtesan: _use_courtesan,
    }
    """What each action does that plays no Plot card."""
    _CARDS: ClassVar[Sequence[Any]] = (
        None,
        _strength,
        _empress,
        _judgment,
        _sun,
        _wheel,
        _devil,
        _hanged_man,
        _chariot,
        _tower,
        _hermit,
        _fool,
        _emperor,
    )
    """What each Plot card does, by its number."""

// All legal actions of a decision, from the short form that a request has. It needs no edits.

package main

import pb "bot/courtyard"

// Turns are the legal turns of Courtisans, numbered from 0, each once.
//
// They are not kept in a list: with three assassins there can be half a million. They fall into
// blocks that share which card goes where; inside a block the side, each card to eliminate and the
// opponent are free, so that the number of a turn is read like the digits of a number.
type Turns []block

// block has the cards for the table, the own domain and the opponent's, and what is free with them.
type block struct {
	cards          [3]*pb.CourtisansCard
	atTable, inOwn []uint32
	inOthers       []target
}

// target is an opponent and what is eliminated there: the turn of a card, or 0 for none.
type target struct{ opponent, turn uint32 }

var sides = [2]pb.Side{pb.Side_SIDE_ABOVE, pb.Side_SIDE_BELOW}

// count returns how many turns there are.
func (turns Turns) count() int {
	count := 0
	for i := range turns {
		count += turns[i].count()
	}
	return count
}

// at returns the turn of this number, which must be below the count.
func (turns Turns) at(number int) *pb.CourtisansAction {
	i := 0
	for ; number >= turns[i].count(); i++ {
		number -= turns[i].count()
	}
	return turns[i].at(number)
}

func (b *block) count() int {
	return len(sides) * len(b.atTable) * len(b.inOwn) * len(b.inOthers)
}

func (b *block) at(number int) *pb.CourtisansAction {
	digit := func(base int) int {
		value := number % base
		number /= base
		return value
	}
	side := sides[digit(len(sides))]
	table := b.atTable[digit(len(b.atTable))]
	own := b.inOwn[digit(len(b.inOwn))]
	other := b.inOthers[number]
	return &pb.CourtisansAction{
		Table:          &pb.CourtisansPlacement{Card: b.cards[0], Eliminates: table},
		Side:           side,
		OwnDomain:      &pb.CourtisansPlacement{Card: b.cards[1], Eliminates: own},
		OpponentDomain: &pb.CourtisansPlacement{Card: b.cards[2], Eliminates: other.turn},
		Opponent:       other.opponent,
	}
}

// courtisansTurns returns all that a seat may do.
func courtisansTurns(seen *pb.CourtisansObservation, legal *pb.CourtisansLegal) Turns {
	none := []uint32{0}
	atTable := append(none[:1:1], legal.TableTargets.GetTurns()...)
	inOwn := append(none[:1:1], domainTargets(legal, seen.Seat)...)
	var inOthers, noneInOthers []target
	for _, opponent := range legal.Opponents {
		noneInOthers = append(noneInOthers, target{opponent, 0})
		for _, turn := range append(none[:1:1], domainTargets(legal, opponent)...) {
			inOthers = append(inOthers, target{opponent, turn})
		}
	}
	var turns Turns
	for _, cards := range orders(seen.Hand) {
		b := block{cards, none, none, noneInOthers}
		if isAssassin(cards[0]) {
			b.atTable = atTable
		}
		if isAssassin(cards[1]) {
			b.inOwn = inOwn
		}
		if isAssassin(cards[2]) {
			b.inOthers = inOthers
		}
		turns = append(turns, b)
	}
	return turns
}

// domainTargets returns what may be eliminated in a seat's domain.
func domainTargets(legal *pb.CourtisansLegal, seat uint32) []uint32 {
	if int(seat) < len(legal.DomainTargets) {
		return legal.DomainTargets[seat].Turns
	}
	return nil
}

func isAssassin(card *pb.CourtisansCard) bool { return card.Role == pb.Role_ROLE_ASSASSIN }

// orders returns the different orders of three cards: swapping two equal ones makes no new one.
func orders(hand []*pb.CourtisansCard) (orders [][3]*pb.CourtisansCard) {
	if len(hand) != 3 {
		return nil
	}
	type face struct {
		family pb.Family
		role   pb.Role
	}
	known := map[[3]face]bool{}
	for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		var cards [3]*pb.CourtisansCard
		var faces [3]face
		for area, i := range order {
			cards[area] = hand[i]
			faces[area] = face{hand[i].Family, hand[i].Role}
		}
		if !known[faces] {
			known[faces] = true
			orders = append(orders, cards)
		}
	}
	return orders
}

// miraclesActions returns the legal actions of La Cour des Miracles, each once: a few hundred at
// most.
func miraclesActions(legal *pb.MiraclesLegal) []*pb.MiraclesAction {
	l := list{legal: legal}
	switch legal.Decision {
	case pb.MiraclesDecision_MIRACLES_DECISION_PLACE:
		l.placements(false)
		l.moves(false)
		if legal.PlotFirst {
			l.placements(true)
			l.moves(true)
		}
		l.plotPlays(legal.Cards)
	case pb.MiraclesDecision_MIRACLES_DECISION_EFFECT:
		l.add().Action = &pb.MiraclesAction_TakeEffect{TakeEffect: &pb.MiraclesTakeEffect{}}
		l.plotPlays(legal.Cards)
	case pb.MiraclesDecision_MIRACLES_DECISION_ACT:
		l.acts()
		l.plotPlays(legal.Cards)
		if legal.EndTurn {
			l.add().Action = &pb.MiraclesAction_EndTurn{EndTurn: &pb.MiraclesEndTurn{}}
		}
	case pb.MiraclesDecision_MIRACLES_DECISION_SINK:
		l.add().Action = &pb.MiraclesAction_SinkRogue{SinkRogue: &pb.MiraclesSinkRogue{}} // the drawn one
		for _, rogue := range legal.Rogues {
			l.add().Action = &pb.MiraclesAction_SinkRogue{SinkRogue: &pb.MiraclesSinkRogue{Rogue: rogue}}
		}
		l.plotPlays(legal.Cards)
	case pb.MiraclesDecision_MIRACLES_DECISION_DISCARD:
		for _, card := range legal.Cards {
			l.add().Action = &pb.MiraclesAction_DiscardPlot{DiscardPlot: &pb.MiraclesDiscardPlot{Card: card}}
		}
		l.plotPlays(legal.Playable)
	case pb.MiraclesDecision_MIRACLES_DECISION_WRATH:
		for _, place := range legal.Neighbourhoods {
			l.add().Action = &pb.MiraclesAction_ChooseWrath{ChooseWrath: &pb.MiraclesChooseWrath{Neighbourhood: place}}
		}
	case pb.MiraclesDecision_MIRACLES_DECISION_ORDER:
		for _, place := range legal.Neighbourhoods {
			l.add().Action = &pb.MiraclesAction_SettleNext{SettleNext: &pb.MiraclesSettleNext{Neighbourhood: place}}
		}
	case pb.MiraclesDecision_MIRACLES_DECISION_SWORDSMAN:
		for _, pays := range []bool{false, true} {
			l.add().Action = &pb.MiraclesAction_PaySwordsman{PaySwordsman: &pb.MiraclesPaySwordsman{Pays: pays}}
		}
	case pb.MiraclesDecision_MIRACLES_DECISION_LONE:
		for _, reveals := range []bool{false, true} {
			l.add().Action = &pb.MiraclesAction_RevealLone{RevealLone: &pb.MiraclesRevealLone{Reveals: reveals}}
		}
	case pb.MiraclesDecision_MIRACLES_DECISION_COURTESAN:
		for _, place := range legal.Neighbourhoods {
			l.add().Action = &pb.MiraclesAction_UseCourtesan{UseCourtesan: &pb.MiraclesUseCourtesan{Neighbourhood: place}}
		}
	}
	return l.actions
}

// list collects actions; each of its functions adds those of one kind.
type list struct {
	legal   *pb.MiraclesLegal
	actions []*pb.MiraclesAction
}

// placements adds those after which the spot waits for a Plot card, or the others.
func (l *list) placements(plotFirst bool) {
	for _, rogue := range l.legal.Rogues {
		for _, spot := range l.legal.Targets {
			l.add().Action = &pb.MiraclesAction_PlaceRogue{PlaceRogue: &pb.MiraclesPlaceRogue{Rogue: rogue, Spot: spot, PlotFirst: plotFirst}}
		}
	}
}

// moves adds those after which the spot waits for a Plot card, or the others.
func (l *list) moves(plotFirst bool) {
	for _, origin := range l.legal.Origins {
		for _, target := range l.legal.Targets {
			l.add().Action = &pb.MiraclesAction_MoveRogue{MoveRogue: &pb.MiraclesMoveRogue{Origin: origin, Target: target, PlotFirst: plotFirst}}
		}
		if l.legal.MayStay {
			l.add().Action = &pb.MiraclesAction_MoveRogue{MoveRogue: &pb.MiraclesMoveRogue{Origin: origin, Target: origin, PlotFirst: plotFirst}}
		}
	}
}

func (l *list) acts() {
	if l.legal.Perform {
		l.add().Action = &pb.MiraclesAction_PerformAction{PerformAction: &pb.MiraclesPerformAction{}}
	}
	for _, line := range l.legal.Lines {
		l.add().Action = &pb.MiraclesAction_BuyRenown{BuyRenown: &pb.MiraclesBuyRenown{Line: line}}
	}
	for _, origin := range l.legal.Origins {
		for _, target := range l.legal.Targets {
			l.add().Action = &pb.MiraclesAction_MoveOther{MoveOther: &pb.MiraclesMoveOther{Origin: origin, Target: target}}
		}
	}
}

// plotPlays adds the plays of these cards.
func (l *list) plotPlays(cards []pb.PlotCard) {
	for _, card := range cards {
		switch card { // those without a choice
		case pb.PlotCard_PLOT_CARD_STRENGTH, pb.PlotCard_PLOT_CARD_JUDGMENT, pb.PlotCard_PLOT_CARD_THE_SUN,
			pb.PlotCard_PLOT_CARD_WHEEL_OF_FORTUNE, pb.PlotCard_PLOT_CARD_THE_EMPEROR:
			l.add().Action = &pb.MiraclesAction_PlayCard{PlayCard: &pb.MiraclesPlayCard{Card: card}}
		}
	}
	for _, token := range l.legal.EmpressTokens {
		for _, target := range l.legal.EmpressTargets {
			l.add().Action = &pb.MiraclesAction_PlayEmpress{PlayEmpress: &pb.MiraclesPlayEmpress{Token: token, Target: target}}
		}
	}
	for _, opponent := range l.legal.DevilOpponents {
		l.add().Action = &pb.MiraclesAction_PlayDevil{PlayDevil: &pb.MiraclesPlayDevil{Opponent: opponent}}
	}
	for _, spot := range l.legal.HangedManSpots {
		l.add().Action = &pb.MiraclesAction_PlayHangedMan{PlayHangedMan: &pb.MiraclesPlayHangedMan{Spot: spot}}
	}
	for _, origin := range l.legal.ChariotOrigins {
		for _, target := range l.legal.Targets {
			l.add().Action = &pb.MiraclesAction_PlayChariot{PlayChariot: &pb.MiraclesPlayChariot{Origin: origin, Target: target}}
		}
	}
	for _, first := range l.legal.TowerSpots {
		for _, second := range l.legal.TowerSpots {
			if first.Neighbourhood < second.Neighbourhood {
				l.add().Action = &pb.MiraclesAction_PlayTower{PlayTower: &pb.MiraclesPlayTower{First: first, Second: second}}
			}
		}
	}
	for _, spot := range l.legal.HermitSpots {
		l.add().Action = &pb.MiraclesAction_PlayHermit{PlayHermit: &pb.MiraclesPlayHermit{Spot: spot}}
	}
	for spaces := uint32(1); spaces <= l.legal.FoolSpaces; spaces++ {
		l.add().Action = &pb.MiraclesAction_PlayFool{PlayFool: &pb.MiraclesPlayFool{Spaces: spaces}}
	}
}

// add adds an action that is still to be filled in.
func (l *list) add() *pb.MiraclesAction {
	action := &pb.MiraclesAction{}
	l.actions = append(l.actions, action)
	return action
}

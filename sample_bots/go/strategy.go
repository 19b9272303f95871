// How this bot plays: the file to edit. Each function looks at a decision and returns an action.
//
// The messages are described field by field in courtyard/v1/*.proto, and the rules are in
// docs/rules. What you print is kept for you.

package main

import (
	"math/rand/v2"

	pb "bot/courtyard"
)

// name is what this bot calls itself.
const name = "go-random"

// chooseCourtisans returns what to do in Courtisans: a whole turn.
func chooseCourtisans(turn Turn, seen *pb.CourtisansObservation, legal *pb.CourtisansLegal) *pb.CourtisansAction {
	cards := seen.Hand
	rand.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	opponent := pick(legal.Opponents)
	return &pb.CourtisansAction{
		Table:          place(cards[0], legal.TableTargets),
		Side:           pick([]pb.Side{pb.Side_SIDE_ABOVE, pb.Side_SIDE_BELOW}),
		OwnDomain:      place(cards[1], legal.DomainTargets[seen.Seat]),
		OpponentDomain: place(cards[2], legal.DomainTargets[opponent]),
		Opponent:       opponent,
	}
}

// place puts a card into an area; an assassin eliminates any of the targets there.
func place(card *pb.CourtisansCard, targets *pb.CourtisansTargets) *pb.CourtisansPlacement {
	placement := &pb.CourtisansPlacement{Card: card}
	if card.Role == pb.Role_ROLE_ASSASSIN && len(targets.Turns) > 0 {
		placement.Eliminates = pick(targets.Turns)
	}
	return placement
}

// chooseMiracles returns what to do in La Cour des Miracles: one of the small decisions of a turn.
func chooseMiracles(turn Turn, seen *pb.MiraclesObservation, legal *pb.MiraclesLegal) *pb.MiraclesAction {
	action := &pb.MiraclesAction{}
	switch legal.Decision {
	case pb.MiraclesDecision_MIRACLES_DECISION_PLACE:
		if len(legal.Rogues) > 0 {
			action.Action = &pb.MiraclesAction_PlaceRogue{PlaceRogue: &pb.MiraclesPlaceRogue{
				Rogue: pick(legal.Rogues), Spot: pick(legal.Targets)}}
		} else {
			action.Action = &pb.MiraclesAction_MoveRogue{MoveRogue: &pb.MiraclesMoveRogue{
				Origin: pick(legal.Origins), Target: pick(legal.Targets)}}
		}
	case pb.MiraclesDecision_MIRACLES_DECISION_ACT:
		switch {
		case legal.Perform:
			action.Action = &pb.MiraclesAction_PerformAction{}
		case len(legal.Lines) > 0:
			action.Action = &pb.MiraclesAction_BuyRenown{BuyRenown: &pb.MiraclesBuyRenown{Line: pick(legal.Lines)}}
		case len(legal.Origins) > 0:
			action.Action = &pb.MiraclesAction_MoveOther{MoveOther: &pb.MiraclesMoveOther{
				Origin: pick(legal.Origins), Target: pick(legal.Targets)}}
		default:
			action.Action = &pb.MiraclesAction_EndTurn{}
		}
	case pb.MiraclesDecision_MIRACLES_DECISION_EFFECT:
		action.Action = &pb.MiraclesAction_TakeEffect{}
	case pb.MiraclesDecision_MIRACLES_DECISION_SINK: // the rogue that was drawn
		action.Action = &pb.MiraclesAction_SinkRogue{}
	case pb.MiraclesDecision_MIRACLES_DECISION_DISCARD:
		action.Action = &pb.MiraclesAction_DiscardPlot{DiscardPlot: &pb.MiraclesDiscardPlot{Card: pick(legal.Cards)}}
	case pb.MiraclesDecision_MIRACLES_DECISION_WRATH:
		action.Action = &pb.MiraclesAction_ChooseWrath{ChooseWrath: &pb.MiraclesChooseWrath{
			Neighbourhood: pick(legal.Neighbourhoods)}}
	case pb.MiraclesDecision_MIRACLES_DECISION_ORDER:
		action.Action = &pb.MiraclesAction_SettleNext{SettleNext: &pb.MiraclesSettleNext{
			Neighbourhood: pick(legal.Neighbourhoods)}}
	case pb.MiraclesDecision_MIRACLES_DECISION_SWORDSMAN:
		action.Action = &pb.MiraclesAction_PaySwordsman{PaySwordsman: &pb.MiraclesPaySwordsman{Pays: rand.IntN(2) == 1}}
	case pb.MiraclesDecision_MIRACLES_DECISION_LONE:
		action.Action = &pb.MiraclesAction_RevealLone{RevealLone: &pb.MiraclesRevealLone{Reveals: rand.IntN(2) == 1}}
	case pb.MiraclesDecision_MIRACLES_DECISION_COURTESAN:
		action.Action = &pb.MiraclesAction_UseCourtesan{UseCourtesan: &pb.MiraclesUseCourtesan{
			Neighbourhood: pick(legal.Neighbourhoods)}}
	}
	return action
}

// pick returns any of some values, each equally likely.
func pick[T any](values []T) T { return values[rand.IntN(len(values))] }

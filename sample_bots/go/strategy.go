// How this bot plays: the file to edit. Each function looks at a decision and returns an action.
//
// What the messages hold is told field by field in courtyard/v1/*.proto, and the rules are in
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
	turns := courtisansTurns(seen, legal)
	return turns.at(rand.IntN(turns.count()))
}

// chooseMiracles returns what to do in La Cour des Miracles: one of the small decisions of a turn.
func chooseMiracles(turn Turn, seen *pb.MiraclesObservation, legal *pb.MiraclesLegal) *pb.MiraclesAction {
	actions := miraclesActions(legal)
	return actions[rand.IntN(len(actions))]
}

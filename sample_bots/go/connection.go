// The bot's side of the protocol (docs/protocol.md): protobuf on stdin and stdout, each message after
// its length, match after match until stdin ends. It needs no edits.

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/encoding/protodelim"

	pb "bot/courtyard"
)

const protocolVersion = 1

// Turn is one request with the start of its match.
type Turn struct {
	// MatchID identifies the match.
	MatchID string
	// Start has the number of seats, the own seat and the settings of the game.
	Start *pb.MatchStart
	// Request has what happened, what can be seen, what is legal now, and the time.
	Request *pb.DecisionRequest
}

func main() {
	if err := play(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// play plays all matches that the referee has.
func play() error {
	if os.Getenv("COURTYARD_TRANSPORT") != "stdio" {
		return errors.New("COURTYARD_TRANSPORT is not stdio: try `referee play` with the folder of this bot")
	}
	referee := os.Stdout
	os.Stdout = os.Stderr // what a strategy prints is no message
	hello := &pb.Hello{ProtocolVersion: protocolVersion, Name: name}
	if err := send(referee, &pb.BotMessage{Body: &pb.BotMessage_Hello{Hello: hello}}); err != nil {
		return err
	}
	return answer(bufio.NewReader(os.Stdin), referee)
}

// answer answers every request until the stream ends.
func answer(from protodelim.Reader, to io.Writer) error {
	starts := map[string]*pb.MatchStart{}
	for {
		message := &pb.RefereeMessage{}
		if err := protodelim.UnmarshalFrom(from, message); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("the message of the referee: %w", err)
		}
		id := message.MatchId
		switch body := message.Body.(type) {
		case *pb.RefereeMessage_Request:
			request := body.Request
			if request.Start != nil {
				starts[id] = request.Start
			}
			action, err := choose(Turn{id, starts[id], request})
			if err != nil {
				return err
			}
			decision := &pb.Decision{Number: request.Number, Action: action}
			err = send(to, &pb.BotMessage{MatchId: id, Body: &pb.BotMessage_Decision{Decision: decision}})
			if err != nil {
				return err
			}
		case *pb.RefereeMessage_Fault:
			fmt.Fprintf(os.Stderr, "forfeited match %s: %s\n", id, body.Fault.Reason)
		case *pb.RefereeMessage_End:
			delete(starts, id)
		}
	}
}

// choose has the strategy for the game decide.
func choose(turn Turn) (*pb.GameAction, error) {
	legal := turn.Request.Legal
	switch seen := turn.Request.Observation.GetGame().(type) {
	case *pb.GameObservation_Courtisans:
		action := chooseCourtisans(turn, seen.Courtisans, legal.GetCourtisans())
		return &pb.GameAction{Game: &pb.GameAction_Courtisans{Courtisans: action}}, nil
	case *pb.GameObservation_Miracles:
		action := chooseMiracles(turn, seen.Miracles, legal.GetMiracles())
		return &pb.GameAction{Game: &pb.GameAction_Miracles{Miracles: action}}, nil
	}
	return nil, errors.New("a request is of a game that this bot does not know")
}

// send sends a message.
func send(to io.Writer, message *pb.BotMessage) error {
	if _, err := protodelim.MarshalTo(to, message); err != nil {
		return fmt.Errorf("the referee has ended the stream: %w", err)
	}
	return nil
}

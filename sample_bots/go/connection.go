// The bot's side of the protocol (docs/protocol.md): one gRPC stream to the referee, match after
// match until it ends. It needs no edits.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	pb "bot/courtyard"
)

const protocolVersion = 1

// Turn is one request with what was told at the start of its match.
type Turn struct {
	// MatchID says which match this is.
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
	address, token, err := whereabouts()
	if err != nil {
		return err
	}
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("COURTYARD_ADDRESS: %w", err)
	}
	defer connection.Close()
	stream, err := pb.NewRefereeClient(connection).Play(context.Background())
	if err != nil {
		return ended(err)
	}
	hello := &pb.Hello{ProtocolVersion: protocolVersion, Name: name, SeatToken: token}
	if err := send(stream, &pb.BotMessage{Body: &pb.BotMessage_Hello{Hello: hello}}); err != nil {
		return err
	}
	return answer(stream)
}

// whereabouts returns the referee's address and this bot's token.
func whereabouts() (address, token string, err error) {
	address, file := os.Getenv("COURTYARD_ADDRESS"), os.Getenv("COURTYARD_TOKEN_FILE")
	if address == "" || file == "" {
		return "", "", errors.New("COURTYARD_ADDRESS and COURTYARD_TOKEN_FILE are not set: " +
			"try `referee play` with the folder of this bot")
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", "", fmt.Errorf("COURTYARD_TOKEN_FILE: %w", err)
	}
	return address, strings.TrimSpace(string(content)), nil
}

// answer answers every request until the stream ends.
func answer(stream pb.Referee_PlayClient) error {
	starts := map[string]*pb.MatchStart{}
	for {
		message, err := stream.Recv()
		if err == io.EOF {
			return nil
		} else if err != nil {
			return ended(err)
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
			err = send(stream, &pb.BotMessage{MatchId: id, Body: &pb.BotMessage_Decision{Decision: decision}})
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

// send sends a message. Where the stream has ended, receiving tells why.
func send(stream pb.Referee_PlayClient, message *pb.BotMessage) error {
	if err := stream.Send(message); err != nil && err != io.EOF {
		return ended(err)
	}
	return nil
}

func ended(err error) error {
	end := status.Convert(err)
	return fmt.Errorf("the referee ended the stream: %s: %s", end.Code(), end.Message())
}

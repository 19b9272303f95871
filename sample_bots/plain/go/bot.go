// Plays every game: each request has some options, and the answer is the index of one of them.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
)

type position struct {
	Text, Options []string
	Facts, Prompt string
}

type message struct {
	MatchId string
	Request *struct {
		Number int
		Plain  position
	}
	Fault *struct{ Reason string }
}

// choose returns the index of an option; Text and Facts hold the seat's knowledge.
func choose(p position) int { return rand.Intn(len(p.Options)) }

func main() {
	fmt.Println(`{"hello": {"protocolVersion": 1, "name": "go-plain", "plain": true}}`)
	referee := json.NewDecoder(os.Stdin)
	for received := (message{}); referee.Decode(&received) == nil; received = (message{}) {
		if received.Request != nil {
			fmt.Printf(`{"matchId": %q, "decision": {"number": %d, "choice": %d}}`+"\n",
				received.MatchId, received.Request.Number, choose(received.Request.Plain))
		} else if received.Fault != nil {
			fmt.Fprintln(os.Stderr, "forfeited:", received.Fault.Reason)
		}
	}
}

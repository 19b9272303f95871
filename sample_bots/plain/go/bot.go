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

// choose returns the index of an option; Text and Facts say what the seat knows.
func choose(p position) int { return rand.Intn(len(p.Options)) }

func main() {
	fmt.Println(`{"hello": {"protocolVersion": 1, "name": "go-plain", "plain": true}}`)
	referee := json.NewDecoder(os.Stdin)
	for told := (message{}); referee.Decode(&told) == nil; told = (message{}) {
		if told.Request != nil {
			fmt.Printf(`{"matchId": %q, "decision": {"number": %d, "choice": %d}}`+"\n",
				told.MatchId, told.Request.Number, choose(told.Request.Plain))
		} else if told.Fault != nil {
			fmt.Fprintln(os.Stderr, "forfeited:", told.Fault.Reason)
		}
	}
}

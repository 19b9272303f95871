// Plays every game: each request has some options, and the answer is the index of one of them.
import { createInterface } from "node:readline";

interface Position {
    text: string[];
    facts: string;
    prompt: string;
    options: string[];
}

/** Returns the index of an option; `text` and `facts` hold the seat's knowledge. */
function choose(position: Position): number {
    return Math.floor(Math.random() * position.options.length);
}

function send(message: object): void {
    process.stdout.write(`${JSON.stringify(message)}\n`);
}

send({ hello: { protocolVersion: 1, name: "typescript-plain", plain: true } });
createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.request) {
        const decision = { number: message.request.number, choice: choose(message.request.plain) };
        send({ matchId: message.matchId, decision });
    } else if (message.fault) {
        console.error("forfeited:", message.fault.reason);
    }
});

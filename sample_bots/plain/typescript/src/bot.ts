// Plays every game: each request has some options, and the answer is the index of one of them.
import { createInterface } from "node:readline";

interface Position {
    text: string[];
    facts: string;
    prompt: string;
    options: string[];
}

/** Returns the index of an option; `text` and `facts` say what the seat knows. */
function choose(position: Position): number {
    return Math.floor(Math.random() * position.options.length);
}

function say(message: object): void {
    process.stdout.write(`${JSON.stringify(message)}\n`);
}

say({ hello: { protocolVersion: 1, name: "typescript-plain", plain: true } });
createInterface({ input: process.stdin }).on("line", (line) => {
    const told = JSON.parse(line);
    if (told.request) {
        const decision = { number: told.request.number, choice: choose(told.request.plain) };
        say({ matchId: told.matchId, decision });
    } else if (told.fault) {
        console.error("forfeited:", told.fault.reason);
    }
});

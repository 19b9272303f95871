"""Tunes the number of actions that its bot tries, by the places of its own matches.

While the mean place is about as good as the best so far or better, it doubles the number; else it
goes back to the best one.
"""

import json
import re
from pathlib import Path

MOST = 64
NOISE = 0.3
"""Of the mean place in some forty matches."""

bot, history_file = Path("bot/bot.py"), Path("notes/history.json")
source = bot.read_text()
tried = re.findall(r"^TRIED = (\d+)", source, re.MULTILINE)[0]
places = []
for file in Path("seen/matches").glob("*/log.json"):
    log = json.loads(file.read_text())
    places.append(log["match"]["seats"][log["seat"]]["outcome"]["rank"])
history: dict[str, float] = json.loads(history_file.read_text()) if history_file.exists() else {}
history[tried] = sum(places) / len(places)
best = min(history, key=lambda number: history[number])
as_good = history[tried] <= history[best] + NOISE
following = min(2 * int(tried), MOST) if as_good else int(best)
bot.write_text(re.sub(r"^TRIED = \d+", f"TRIED = {following}", source, flags=re.MULTILINE))
history_file.write_text(json.dumps(history))
Path("spent.jsonl").write_text(json.dumps({"tokens": 100, "cost": 0.01}) + "\n")
print(f"mean place {history[tried]:.2f} with {tried}: tries {following} next")

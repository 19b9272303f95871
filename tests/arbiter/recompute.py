"""Works out tournaments again by docs/tournaments.md and docs/directing.md; says what differs.

    python tests/arbiter/recompute.py CASES

CASES is a file with a tournament in each line: a list of the document of `ladder tournament
--json`, the records of its matches, the file of `--trf`, empty if there is none, and the documents
of `ladder standings --by author --json` and `--by team`, by "author" and "team" as far as there are
any. For each, a line is printed with all that differs, as a JSON list.

It stands for an arbiter who does not trust the platform: it uses Python's standard library and
reads no module of Courtyard. Of the document it takes as given what was agreed and decided (format,
options, seeds, director's decisions), who met whom in which matches, and nothing else.
"""

import json
import sys
from pathlib import Path

from advancing import check_advancing
from due import check_due
from facts import Tournament
from pairings import check_pairings
from people import check_people
from report_file import check_report
from standings import check_standings
from tables import check_meetings
from two_brackets import check_two_brackets


def main() -> None:
    """Check each tournament of the file."""
    for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        document, records, report, people = json.loads(line)
        tournament = Tournament(document, {r["match_id"]: r for r in records})
        checks = (
            check_meetings,
            check_pairings,
            check_due,
            check_advancing,
            check_two_brackets,
            check_standings,
        )
        found = [said for check in checks for said in check(tournament)]
        found += check_people(tournament, people)
        found += check_report(tournament, report) if report else []
        sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()

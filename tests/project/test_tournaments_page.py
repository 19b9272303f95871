"""Every article of docs/tournaments.md is held by tests."""

import ast
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from ladder.scheduling.tournament.planner import RULES

FOLDER = "tests/ladder/scheduling"
FORMATS, DESIGNS = f"{FOLDER}/test_tournaments.py", f"{FOLDER}/test_designs.py"
SWISS, BRACKET = f"{FOLDER}/test_swiss.py", f"{FOLDER}/test_bracket.py"
DECIDING, COURSE = f"{FOLDER}/test_deciding.py", f"{FOLDER}/test_tournament_planner.py"
DIRECTING = f"{FOLDER}/test_directing.py"
DOUBLE = f"{FOLDER}/test_double_elimination.py"
COMMANDS = "tests/integration/test_contests.py"
START_TIMES = "tests/ladder/runner/test_start_times.py"
APART = f"{FOLDER}/test_kept_apart.py"
RECOMPUTED = "tests/acceptance/test_recomputed.py"

HELD: Mapping[str, Sequence[tuple[str, str]]] = {
    "1.1": [(COURSE, "test_several_deals_are_one_meeting"), (COURSE, "test_deals_and_rotations")],
    "1.2": [(FORMATS, "test_scores_are_shares")],
    "1.3": [(DIRECTING, "test_a_double_forfeit_is_won_by_neither")],
    "1.4": [(COURSE, "test_several_deals_are_one_meeting")],
    "1.5": [(COURSE, "test_no_stand_in_sits_at_a_table")],
    "1.6": [(DESIGNS, "test_neighbours_change_from_deal_to_deal")],
    "1.7": [(DESIGNS, "test_neighbours_change_from_meeting_to_meeting")],
    "1.8": [(COMMANDS, "test_seeds_are_drawn"), (COMMANDS, "test_seeds_that_were_drawn_stay")],
    "1.9": [
        (SWISS, "test_the_pairing_is_the_same_everywhere"),
        (FORMATS, "test_the_order_of_results_does_not_matter"),
        (RECOMPUTED, "test_tables_are_recomputed"),
    ],
    "1.10": [(COMMANDS, "test_a_tournament_that_older_code_began")],
    "1.11": [
        (START_TIMES, "test_rounds_wait_for_their_times"),
        (START_TIMES, "test_the_director_moves_a_start"),
        (START_TIMES, "test_sudden_death_does_not_wait"),
    ],
    "1.12": [
        (APART, "test_authors_that_tell_none_apart_change_nothing"),
        (APART, "test_who_is_kept_apart"),
    ],
    "1.13": [
        (APART, "test_a_forbidden_pair_never_meets"),
        (COMMANDS, "test_pairs_that_a_format_cannot_keep_apart"),
    ],
    "2.1": [(FORMATS, "test_round_robin_brings_all_together")],
    "2.2": [
        (DESIGNS, "test_meetings_differ_by_one_at_most"),
        (DESIGNS, "test_meetings_of_all_fields"),
    ],
    "2.3": [(DESIGNS, "test_exact_designs")],
    "2.4": [(DESIGNS, "test_meetings_differ_by_one_at_most")],
    "2.5": [(FORMATS, "test_opponents_weigh_alike")],
    "2.6": [(FORMATS, "test_without_luck_the_order_is_right")],
    "2.7": [
        (FORMATS, "test_direct_encounter_decides_first"),
        (FORMATS, "test_tie_breaks_are_named"),
    ],
    "2.8": [(DESIGNS, "test_small_fields_fill_every_round")],
    "3.1": [(FORMATS, "test_direct_encounter_decides_first")],
    "3.2": [(FORMATS, "test_tie_breaks_are_means")],
    "3.3": [(FORMATS, "test_tie_breaks_are_means")],
    "3.4": [
        (FORMATS, "test_equals_share_a_place"),
        (DIRECTING, "test_places_follow_the_first_result"),
    ],
    "3.5": [
        (f"{FOLDER}/test_team_standings.py", "test_the_lowest_sum_of_places_is_first"),
        (RECOMPUTED, "test_tournaments_are_recomputed"),
    ],
    "4.1": [(SWISS, "test_rounds_are_no_more_than_a_field_allows")],
    "4.2": [(FORMATS, "test_swiss_pairs_equal_scores")],
    "4.3": [(FORMATS, "test_swiss_pairs_equal_scores")],
    "4.4": [
        (SWISS, "test_no_rematch_can_be_avoided"),
        (SWISS, "test_the_fewest_rematches_where_some_are_unavoidable"),
    ],
    "4.5": [(SWISS, "test_all_play_in_every_round_at_larger_tables")],
    "4.6": [(SWISS, "test_no_bot_has_a_second_bye_before_all_had_one")],
    "4.7": [(FORMATS, "test_a_bye_counts_half")],
    "4.8": [(FORMATS, "test_a_bye_counts_half"), (FORMATS, "test_tie_breaks_are_means")],
    "4.9": [(DIRECTING, "test_what_a_late_entrant_scores_is_a_rule")],
    "4.10": [
        (DIRECTING, "test_a_bye_on_request"),
        (DIRECTING, "test_byes_lapse_if_no_table_could_be_made"),
    ],
    "4.11": [(DIRECTING, "test_a_missed_round_of_a_swiss_is_a_bye_without_points")],
    "4.12": [(SWISS, "test_a_given_bye")],
    "4.13": [(APART, "test_the_fewest_bots_of_one_author_meet")],
    "4.14": [
        (APART, "test_more_tables_part_forbidden_pairs"),
        (DIRECTING, "test_a_round_without_a_pairing_waits"),
    ],
    "5.1": [(FORMATS, "test_gauntlet_is_one_against_all")],
    "5.2": [(FORMATS, "test_gauntlet_tells_how_the_challenger_did")],
    "5.3": [(FORMATS, "test_gauntlet_is_one_against_all"), (COURSE, "test_the_better_seed_wins")],
    "5.4": [(FORMATS, "test_gauntlet_is_one_against_all")],
    "5.5": [
        (APART, "test_a_gauntlet_takes_no_more_tables"),
        (APART, "test_authors_sit_apart_in_a_gauntlet"),
    ],
    "6.1": [(DECIDING, "test_no_table_is_decided_by_the_seed"), (BRACKET, "test_rounds_are_few")],
    "6.2": [(BRACKET, "test_byes_come_first_and_later_tables_are_full")],
    "6.3": [(BRACKET, "test_byes_come_first_and_later_tables_are_full")],
    "6.4": [(BRACKET, "test_byes_come_first_and_later_tables_are_full")],
    "6.5": [(BRACKET, "test_the_bracket_is_made_once")],
    "6.6": [(BRACKET, "test_the_third_place_is_played_for")],
    "6.7": [
        (DECIDING, "test_a_level_table_plays_on_until_a_deal_decides"),
        (DECIDING, "test_only_what_matters_is_played_on"),
        (DECIDING, "test_there_is_an_end_to_it"),
    ],
    "6.8": [
        (DECIDING, "test_points_part_those_who_stay_level"),
        (DECIDING, "test_first_places_part_those_with_equal_margins"),
        (DECIDING, "test_no_table_is_decided_by_the_seed"),
    ],
    "6.9": [(COURSE, "test_why_who_went_on_is_told")],
    "6.10": [(FORMATS, "test_places_of_those_who_are_out")],
    "6.11": [(APART, "test_in_a_knockout_authors_meet_as_late_as_possible")],
    "7.1": [(BRACKET, "test_groups_are_no_larger_than_asked")],
    "7.2": [(BRACKET, "test_a_group_plays_a_round_robin")],
    "7.3": [
        (BRACKET, "test_groups_are_no_larger_than_asked"),
        (BRACKET, "test_why_each_went_on_from_its_group"),
    ],
    "7.4": [(BRACKET, "test_the_first_of_a_group_meets_a_second_of_another")],
    "7.5": [(BRACKET, "test_groups_are_kept_apart"), (BRACKET, "test_groups_of_all_fields")],
    "7.6": [
        (DECIDING, "test_no_table_is_decided_by_the_seed"),
        (DIRECTING, "test_who_advances_alone_is_told"),
    ],
    "7.7": [(BRACKET, "test_both_stages_count")],
    "7.8": [(RECOMPUTED, "test_tournaments_are_recomputed")],
    "7.9": [(APART, "test_groups_spread_authors")],
    "8.1": [(DOUBLE, "test_all_but_the_winner_are_eliminated_twice")],
    "8.2": [(DOUBLE, "test_the_winners_play_a_knockout")],
    "8.3": [(DOUBLE, "test_the_winners_play_a_knockout")],
    "8.4": [(DOUBLE, "test_the_losers_are_as_many_as_the_winners")],
    "8.5": [(DOUBLE, "test_who_dropped_last_has_the_first_byes")],
    "8.6": [
        (DOUBLE, "test_bots_meet_again_only_if_they_must"),
        (DOUBLE, "test_few_meet_again_at_larger_tables"),
    ],
    "8.7": [(DOUBLE, "test_the_winner_of_the_losers_bracket_must_win_twice")],
    "8.8": [(DOUBLE, "test_there_may_be_a_third_final")],
    "8.9": [(DOUBLE, "test_a_level_table_of_any_bracket_plays_on")],
    "8.10": [(DOUBLE, "test_places_follow_the_second_elimination")],
    "8.11": [(DOUBLE, "test_all_but_the_winner_are_eliminated_twice")],
}
"""By which tests each article is held."""


def test_every_article_is_held(root: Path) -> None:
    """Each has its tests, and below the sources nothing is stated outside an article."""
    page = (root / "docs" / "tournaments.md").read_text()
    rules = page[page.index("## 1. ") :]
    articles = re.findall(r"^- \*\*(\d+\.\d+)\*\* ", rules, flags=re.MULTILINE)
    loose = [
        line for line in rules.splitlines() if line and not line.startswith(("- **", "  ", "#"))
    ]

    assert loose == []
    assert articles == list(HELD)
    for file, name in {test for tests in HELD.values() for test in tests}:
        tree = ast.parse((root / file).read_text())
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_version_is_stated(root: Path) -> None:
    """The page says which version of the rules it has."""
    assert f"version {RULES} of the rules" in (root / "docs" / "tournaments.md").read_text()

"""Two runs side by side: which duels and matchups moved, whose answers turned, and what is in one run alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from simlab.analysis.compare_limits import (
    Figures,
    Flags,
    Floats,
    average,
    clipped,
    limit_mean,
    subtract,
)
from simlab.analysis.intervals import Z95
from simlab.analysis.readings import A_WINS, B_WINS, CANNOT_TELL, FLIPS, NO_DECISION, OPENS, SETTLES
from simlab.analysis.tables import COUNTS, OUTCOMES, SITUATION, weights_in_groups
from simlab.model.typed_situation import NO_FIRST_FIRE

MOVED, SAME, CONTRADICTS = "moved", "same", "contradicts"
"""Effects, beside `cannot tell`: beyond the family's interval; the same fights, or the same counts at the same dice;
other counts of the same fights at the same dice, which sound runs cannot have."""
ROW = ("a", "b", *SITUATION)
ROUNDED = 2e-12
"""What the rounding of stored chances may do to a share."""
FIGURES = 2
"""Figures of each row and matchup that are compared: win share of a, and kill rate of a."""
_RUNS = ("before", "after")

Record = Mapping[str, Any]
Texts = npt.NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class Matched:
    """The rows of duels that both runs have.

    rows: `ROW`, `weight` (of before, 1 a pair), and the stored columns of both, ending in _before and _after. pairs: a
    and b, in the order of before; pair_of: by row the number of its pair. law: the fights are the same by the rules,
    the code and the turn limit. dice: both were sampled, with the same dice. identical: all of that and equal counts,
    or nobody can fire in either. same: also where nothing can have moved, or both came to the same at the same dice.
    contradicts: law and dice are the same and counts are not. tested: rows on whose counts chance has a say.
    """

    rows: pd.DataFrame
    pairs: pd.DataFrame
    pair_of: npt.NDArray[np.intp]
    law: Flags
    dice: Flags
    identical: Flags
    same: Flags
    contradicts: Flags
    tested: Flags

    @property
    def weights_differ(self) -> bool:
        """Tell whether the runs weigh a situation of any pair differently."""
        weights = (self.rows[f"weight_{run}"].to_numpy(np.float64) for run in _RUNS)
        ours, theirs = (weights_in_groups(each, self.pair_of, len(self.pairs)) for each in weights)
        return not np.allclose(ours, theirs, rtol=0, atol=1e-9)

    @property
    def tests(self) -> int:
        """How many figures of rows and matchups are compared on which chance has a say."""
        return FIGURES * int(self.tested.sum() + self._any(self.tested).sum())

    def _any(self, flags: Flags) -> Flags:
        return np.bincount(self.pair_of[flags], minlength=len(self.pairs)) > 0

    def every(self, flags: Flags) -> Flags:
        """Return by pair whether a flag holds for all of its rows."""
        return ~self._any(~flags)


def match_duels(before: pd.DataFrame, after: pd.DataFrame, records: tuple[Record, Record]) -> Matched:
    """Return the rows that both tables have.

    The tables hold each row of `ROW` once, ranges as texts; the weights of a pair's rows in both need not add up to 1.
    """
    rows = before.merge(after, on=list(ROW), suffixes=("_before", "_after"), validate="one_to_one")
    pairs = rows[["a", "b"]].drop_duplicates(ignore_index=True)
    numbers = {pair: number for number, pair in enumerate(zip(pairs["a"], pairs["b"]))}
    pair_of = np.array([numbers[pair] for pair in zip(rows["a"], rows["b"])], np.intp)
    rows["weight"] = weights_in_groups(rows["weight_before"].to_numpy(np.float64), pair_of, len(pairs))
    alike = by_rules(rows, records) & (records[0]["turns"] == records[1]["turns"])
    law = alike & same_code(records)
    sampled = [_sampled(rows, run) for run in _RUNS]
    dice = by_rules(rows, records) & (records[0]["seed"] == records[1]["seed"]) & sampled[0] & sampled[1]
    counts = [_counts(rows, run) for run in _RUNS]
    more = counts[1] - counts[0]
    continued = (more >= 0).all(axis=1) | (more <= 0).all(axis=1)
    silent = _silent(rows, "before") & _silent(rows, "after")
    solved = ~sampled[0] & ~sampled[1]
    outcomes = [rows[[f"{name}_{run}" for name in OUTCOMES]].to_numpy(np.float64) for run in _RUNS]
    equal = dice & (more == 0).all(axis=1)
    alike_solved = solved & (outcomes[0] == outcomes[1]).all(axis=1)
    return Matched(
        rows=rows,
        pairs=pairs,
        pair_of=pair_of,
        law=law,
        dice=dice,
        identical=silent | (law & equal),
        same=silent | equal | alike_solved | (law & dice & continued),
        contradicts=law & dice & ~continued,
        tested=~solved & ~silent & ~(law & dice),
    )


def by_rules(rows: pd.DataFrame, records: tuple[Record, Record]) -> Flags:
    """Return by row whether the rules give both runs the same fights: sheets as they fight, rules, readings."""
    terms = [(each["system"], each["rules_version"], dict(each["non_default"])) for each in records]
    hashes = [{unit["id"]: unit["fight_hash"] for unit in record["units"]} for record in records]
    kept = [unit for unit, digest in hashes[0].items() if hashes[1].get(unit) == digest]
    alike: Flags = (rows["a"].isin(kept) & rows["b"].isin(kept)).to_numpy(np.bool_)
    return alike & (terms[0] == terms[1])


def same_code(records: tuple[Record, Record]) -> bool:
    """Return whether the same code fought both runs; not if one does not say."""
    return records[0].get("kernel") is not None and records[0].get("kernel") == records[1].get("kernel")


def _sampled(rows: pd.DataFrame, run: str) -> Flags:
    return (rows[f"method_{run}"] == "monte_carlo").to_numpy(np.bool_)


def _counts(rows: pd.DataFrame, run: str) -> Floats:
    """Counts by outcome, 0 where solved: (rows, 4)."""
    return rows[[f"{name}_{run}" for name in COUNTS]].fillna(0).to_numpy(np.float64)


def _silent(rows: pd.DataFrame, run: str) -> Flags:
    return (rows[f"cannot_fire_a_{run}"] & rows[f"cannot_fire_b_{run}"]).to_numpy(np.bool_)


def tell(matched: Matched, z: float, more_than: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return how far win shares and kill rates of a moved, and who wins: by duel, and by matchup over its situations.

    z: normal point of the family's intervals. Duels: `ROW`, weight, method and n of both runs, `fights` and `dice`
    (same, other; none where a run solved). Matchups: a, b, situations, `moved_in` (situations in which a figure
    moved). Then for the win share (no prefix) and the kill rate (`kill_`) both values, the change with the ends of its
    own 95% interval and of the family's, and the effect; answer_before, answer_after, turn. What moved comes first,
    the largest change of the win share before others.
    """
    alone, family = _Level(matched, Z95), _Level(matched, z)
    rows, pairs = matched.rows, matched.pairs
    duels = rows[[*ROW, "weight", "method_before", "method_after", "n_before", "n_after"]].copy()
    sampled = _sampled(rows, "before") & _sampled(rows, "after")
    duels["fights"] = np.where(matched.law, SAME, "other")
    duels["dice"] = np.where(sampled, np.where(matched.dice, SAME, "other"), "none")
    duels = _told(duels, alone.rows(), family.rows(), matched.same, matched.contradicts, more_than)
    moved = matched.pair_of[is_moved(duels).to_numpy(np.bool_)]
    matchups = pairs.assign(
        situations=np.bincount(matched.pair_of, minlength=len(pairs)),
        moved_in=np.bincount(moved, minlength=len(pairs)),
    )
    same, contradicts = matched.every(matched.same), ~matched.every(~matched.contradicts)
    matchups = _told(matchups, alone.pairs(), family.pairs(), same, contradicts, more_than)
    return _ordered(duels), _ordered(matchups)


def is_moved(table: pd.DataFrame) -> "pd.Series[bool]":
    """Return by row of a table of duels or matchups whether one of its figures moved, or contradicts."""
    counted = [MOVED, CONTRADICTS]
    return table["effect"].isin(counted) | table["kill_effect"].isin(counted)


@dataclass(frozen=True, eq=False)
class _Told:
    """Win shares, kill rates and chances of no decision of both runs, and the changes of the first two."""

    shares: tuple[Figures, Figures]
    kills: tuple[Figures, Figures]
    neither: tuple[Floats, Floats]
    share_change: Figures
    kill_change: Figures


class _Level:
    """All figures of both runs with limits at one normal point."""

    def __init__(self, matched: Matched, z: float) -> None:
        self.matched = matched
        self.shares = (_share(matched.rows, "before", z), _share(matched.rows, "after", z))
        self.kills = (_kill(matched.rows, "before", z), _kill(matched.rows, "after", z))
        columns = (matched.rows[f"neither_{run}"].to_numpy(np.float64) for run in _RUNS)
        self.neither = (next(columns), next(columns))
        self.share_change, self.kill_change = (
            subtract(*figures, matched.dice, matched.identical) for figures in (self.shares, self.kills)
        )

    def rows(self) -> _Told:
        return self._told(self.shares, self.kills, self.neither, self.share_change, self.kill_change)

    def pairs(self) -> _Told:
        weights = self.matched.rows["weight"].to_numpy(np.float64)
        groups, size = self.matched.pair_of, len(self.matched.pairs)

        def mean(figures: Figures) -> Figures:
            return average(figures, weights, groups, size)

        neither = [
            np.bincount(groups, weights * chances, size).astype(np.float64) for chances in self.neither
        ]
        return self._told(
            (mean(self.shares[0]), mean(self.shares[1])),
            (mean(self.kills[0]), mean(self.kills[1])),
            (neither[0], neither[1]),
            mean(self.share_change),
            mean(self.kill_change),
        )

    @staticmethod
    def _told(
        shares: tuple[Figures, Figures],
        kills: tuple[Figures, Figures],
        neither: tuple[Floats, Floats],
        share_change: Figures,
        kill_change: Figures,
    ) -> _Told:
        changes = (clipped(change, -1.0, 1.0) for change in (share_change, kill_change))
        return _Told(shares, kills, neither, *changes)


def _share(rows: pd.DataFrame, run: str, z: float) -> Figures:
    """The win share of a: exact ones are in the middle of what the error bound leaves open."""
    wins, loses = (rows[f"{name}_{run}"].to_numpy(np.float64) for name in ("a_wins", "b_wins"))
    counts = _counts(rows, run)
    halves = counts[:, 2] + counts[:, 3]
    bound = rows[f"error_bound_{run}"].fillna(0.0).to_numpy(np.float64) / 2
    return _figures(
        rows, run, wins + (1 - wins - loses) / 2, (counts[:, 0], halves, counts[:, 1]), (bound, bound), z
    )


def _kill(rows: pd.DataFrame, run: str, z: float) -> Figures:
    """The chance that a destroys b: exact ones are lower bounds."""
    rate = (rows[f"a_wins_{run}"] + rows[f"both_destroyed_{run}"]).to_numpy(np.float64)
    counts = _counts(rows, run)
    bound = rows[f"error_bound_{run}"].fillna(0.0).to_numpy(np.float64)
    killed, others = counts[:, 0] + counts[:, 2], counts[:, 1] + counts[:, 3]
    return _figures(rows, run, rate, (killed, 0 * killed, others), (0 * bound, bound), z)


def _figures(
    rows: pd.DataFrame,
    run: str,
    values: Floats,
    scores: tuple[Floats, Floats, Floats],
    bounds: tuple[Floats, Floats],
    z: float,
) -> Figures:
    """Limits by chance where sampled, by the error bound where solved, none where nobody can fire."""
    low, high = limit_mean(*scores, z)
    sampled, silent = _sampled(rows, run), _silent(rows, run)
    chance = sampled & ~silent
    return Figures(
        values,
        np.where(chance, np.maximum(values - low, 0.0), 0.0),
        np.where(chance, np.maximum(high - values, 0.0), 0.0),
        np.where(sampled, 0.0, bounds[0] + ROUNDED),
        np.where(sampled, 0.0, bounds[1] + ROUNDED),
    )


def _told(
    frame: pd.DataFrame,
    alone: _Told,
    family: _Told,
    same: Flags,
    contradicts: Flags,
    more_than: float,
) -> pd.DataFrame:
    figures = (
        ("", "win_share", alone.shares, alone.share_change, family.share_change),
        ("kill_", "kill_rate", alone.kills, alone.kill_change, family.kill_change),
    )
    columns: dict[str, Any] = {}
    for prefix, name, values, own, shared in figures:
        columns[f"{name}_before"], columns[f"{name}_after"] = (each.value for each in values)
        columns[f"{prefix}change"] = own.value
        columns[f"{prefix}change_low"], columns[f"{prefix}change_high"] = own.low, own.high
        columns[f"{prefix}family_low"], columns[f"{prefix}family_high"] = shared.low, shared.high
        beyond = (shared.low > more_than) | (shared.high < -more_than)
        effects = np.select([contradicts, same, beyond], [CONTRADICTS, SAME, MOVED], CANNOT_TELL)
        columns[f"{prefix}effect"] = effects
    answers = [_answers(family.shares[run], family.neither[run]) for run in (0, 1)]
    columns["answer_before"], columns["answer_after"] = answers
    columns["turn"] = _turns(*answers)
    return frame.assign(**columns)


def _ordered(frame: pd.DataFrame) -> pd.DataFrame:
    """What moved first, then by the size of the change."""
    keys = pd.DataFrame({"moved": ~is_moved(frame), "size": -frame["change"].abs()})
    kill = -frame["kill_change"].abs()
    order = keys.assign(kill=kill).sort_values(["moved", "size", "kill"], kind="stable").index
    return frame.loc[order].reset_index(drop=True)


def _answers(shares: Figures, neither: Floats) -> Texts:
    """Who wins by more than the family's interval."""
    found: Texts = np.select(
        [neither > 0.5, shares.low > 0.5, shares.high < 0.5], [NO_DECISION, A_WINS, B_WINS], CANNOT_TELL
    )
    return found


def _turns(before: Texts, after: Texts) -> Texts:
    """How answers turn: into their opposite, from an answer to none, from none to one."""
    definite = [np.isin(answers, [A_WINS, B_WINS]) for answers in (before, after)]
    other = before != after
    found: Texts = np.select(
        [other & definite[0] & definite[1], other & definite[0], other & definite[1]],
        [FLIPS, OPENS, SETTLES],
        "",
    )
    return found


def find_alone(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that only one of two tables has: `run` (before, after) and `ROW`."""
    keys = [table[list(ROW)] for table in (before, after)]
    merged = keys[0].merge(keys[1], on=list(ROW), how="outer", indicator="run", sort=False)
    names = {"left_only": "before", "right_only": "after"}
    alone = merged[merged["run"] != "both"]
    return alone.assign(run=alone["run"].astype(str).map(names))[["run", *ROW]].reset_index(drop=True)


def describe_flips(table: pd.DataFrame, unit: str = "") -> list[str]:
    """Return a line for each answer of duels or matchups that turned into its opposite; `unit` is that of ranges."""
    lines = []
    for row in table[table["turn"] == FLIPS].to_dict("records"):
        winner = {A_WINS: row["a"], B_WINS: row["b"]}
        if row["a"] == row["b"]:
            winner = {A_WINS: "the first", B_WINS: "the second"}
        where = f", {place_text(row, unit)}" if "range" in row else ""
        answers = f"{winner[row['answer_after']]} wins, not {winner[row['answer_before']]}"
        lines.append(f"{row['a']} v {row['b']}{where}: {answers}")
    return lines


def place_text(row: Mapping[Any, Any], unit: str = "") -> str:
    """Return the situation of a row in words: `24, front v rear`; `unit` stands behind the range."""
    place = f"{row['range']}{unit}, {row['aspect_a']} v {row['aspect_b']}"
    return place if row["first_fire"] == NO_FIRST_FIRE else f"{place}, first fire {row['first_fire']}"

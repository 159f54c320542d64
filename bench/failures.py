"""Whether the same failure has the same fingerprint, another one another: on a folder of recorded runs.

    python bench/failures.py FOLDER [--runner NAME] [--json] [--modes output,report,both]

FOLDER holds `expected.jsonl` (a row a run: run, group, runner, inputs, exit_code, failing, first_error …),
with `debatable.jsonl`, `expected_hard.jsonl`, `trgm_cases.jsonl` and `anchors/*_cases.jsonl` where there
are. Exit 1 where anything is not as expected.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import re
import sys
import time
from collections import defaultdict
from pathlib import Path

from chalkgit.failures import reading, rules

PREFIX = re.compile(r"^(?:E {2,}|#\s+|\[ERROR\]\s+|\[junit\]\s+|\*\* |[│→]\s*)+")
REPORTS = ("report", "gojson", "junit")


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []


def content(folder: Path, name: str | None) -> bytes | None:
    if name is None:
        return None
    data = (folder / name).read_bytes()
    return gzip.decompress(data) if name.endswith(".gz") else data


def clean(line: str | None) -> str | None:
    """A line without prefixes, and without controls, which no reader keeps."""
    if line is None:
        return None
    return PREFIX.sub("", "".join(c for c in line if c >= " ").strip())


def inputs(row: dict, mode: str) -> list[tuple[str, str | None, str | None]]:
    """(name of the mode, report, output) of each way to read this run."""
    output = row["inputs"].get("stdout")
    reports = [(kind, row["inputs"][kind]) for kind in REPORTS if kind in row["inputs"]]
    if mode == "output":
        return [("output", None, output)] if output else []
    if mode == "report":
        return [(kind, report, None) for kind, report in reports]
    return [(f"{kind} and output", report, output) for kind, report in reports] or [("output", None, output)]


class Score:
    def __init__(self) -> None:
        self.misses: dict[str, list[str]] = defaultdict(list)
        self.asked: dict[str, int] = defaultdict(int)

    def hold(self, what: str, right: bool, told: str) -> None:
        self.asked[what] += 1
        if not right:
            self.misses[what].append(told)


def same_error(run: reading.Run, row: dict, root: str | None) -> bool:
    expected = [row.get("first_error"), row.get("first_error_clean")]
    if run.error is None or row.get("first_error") is None:
        return run.error is None and row.get("first_error") is None
    if clean(run.error) in [clean(line) for line in expected]:
        return True
    # a report of another invocation of the same tests has other times in it
    return rules.normal(clean(run.error), root) == rules.normal(clean(row["first_error"]), root)


def read_runs(folder: Path, expected: list[dict], modes: list[str], score: Score) -> dict:
    prints: dict = defaultdict(lambda: defaultdict(dict))  # mode, group, run: fingerprint
    for row, mode in itertools.product(expected, modes):
        meta = folder / "runs" / row["run"] / "meta.json"
        root = json.loads(meta.read_text("utf-8"))["root"] if meta.exists() else None
        for name, report, output in inputs(row, mode):
            run = reading.read(
                content(folder, report), content(folder, output), exit_code=row["exit_code"], root=root
            )
            label = f"{row['run']} ({name})"
            if mode == "report" and not run.tests and not run.error:
                continue  # this report says nothing; there is no output to fall back to
            prints[name][row["group"]][row["run"]] = run.fingerprint
            optional = " (optional)" if row.get("optional") else ""
            tests = list(run.tests) == row["failing"]
            score.hold(f"{mode}: tests{optional}", tests, f"{label}: {list(run.tests)} not {row['failing']}")
            error = same_error(run, row, root)
            if mode == "output" or not error:
                score.hold(
                    f"{mode}: first error{optional}",
                    error,
                    f"{label}: {run.error!r} not {row['first_error']!r}",
                )
            else:
                score.hold(f"{mode}: first error{optional}", True, "")
    return prints


def compare(expected: list[dict], debatable: list[dict], prints: dict, score: Score) -> None:
    runner = {row["group"]: row["runner"] for row in expected}
    optional = {row["run"] for row in expected if row.get("optional")}
    told = {frozenset((pair["a"], pair["b"])): pair["recommended"] for pair in debatable}
    for mode, groups in prints.items():
        firsts = {}
        for group, runs in sorted(groups.items()):
            whole = {value for run, value in runs.items() if run not in optional}
            score.hold(f"{mode}: groups whole", len(whole) <= 1, f"{group}: {runs}")
            firsts[group] = next(iter(runs.values()))
        for a, b in itertools.combinations(sorted(firsts), 2):
            if runner[a] != runner[b] or firsts[a] is None:
                continue
            equal = firsts[a] == firsts[b]
            if told.get(frozenset((a, b)), "differ") == "differ":
                score.hold(f"{mode}: groups apart", not equal, f"{a} and {b}: {firsts[a]}")
            else:
                score.hold(f"{mode}: debatable pairs equal", equal, f"{a} and {b}")
    for group in sorted({row["group"] for row in expected}):
        values = {value for groups in prints.values() for value in groups.get(group, {}).values()}
        score.hold("one fingerprint in all modes", len(values) <= 1, f"{group}: {len(values)}")


def read_hard(folder: Path, prints: dict, score: Score) -> None:
    for row in rows(folder / "expected_hard.jsonl"):
        data = content(folder, row["file"])
        began = time.perf_counter()
        if row["kind"] == "junit":
            run = reading.read(data, content(folder, row.get("stdout")), exit_code=1, root=None)
        else:
            run = reading.read(None, data, exit_code=1, root=None)
        took = time.perf_counter() - began
        optional = " (optional)" if row.get("optional") else ""
        right = list(run.tests) == row["failing"] and clean(run.error) == clean(row["first_error"])
        score.hold(f"hard{optional}", right, f"{row['file']}: {list(run.tests)} {run.error!r}")
        value = next(iter(prints.get("output", {}).get(row["group"], {}).values()), run.fingerprint)
        score.hold(f"hard: its group's fingerprint{optional}", run.fingerprint == value, row["file"])
        score.hold(
            "hard: at most 2 s", took <= 2, f"{row['file']}: {took:.2f} s for {len(data or b'')} bytes"
        )


def read_anchors(folder: Path, score: Score) -> None:
    for path in sorted(folder.glob("anchors/*_cases.jsonl")):
        for row in rows(path):
            if row["recommended"] not in ("equal", "differ"):
                continue
            a, b = rules.normal(row["a"], None), rules.normal(row["b"], None)
            right = (a == b) == (row["recommended"] == "equal")
            score.hold(
                f"anchors: {path.name.split('_')[0]}", right, f"{row['id']} {row['recommended']}: {a!r} {b!r}"
            )


def read_trigrams(folder: Path, score: Score) -> None:
    from chalkgit.failures import trigrams

    for row in rows(folder / "trgm_cases.jsonl"):
        a, b = row["a"], row["b"]
        found = (trigrams.similarity(a, b), trigrams.word_similarity(a, b))
        right = abs(found[0] - row["similarity"]) < 5e-7 and abs(found[1] - row["word_similarity"]) < 5e-7
        decided = (trigrams.alike(a, b), trigrams.word_alike(a, b)) == (row["sim_gt_0_5"], row["wsim_gt_0_6"])
        score.hold("trigrams", right and decided, f"{row['id']}: {found} {row}")


def tails(folder: Path, expected: list[dict]) -> None:
    """How alike the ends of outputs are, and the error lines to them: what `thresholds.OUTPUT_ALIKE`
    quotes."""
    from chalkgit.failures import lines, trigrams

    ends: dict[str, dict[str, tuple[str, str]]] = defaultdict(dict)
    for row in expected:
        output = content(folder, row["inputs"].get("stdout"))
        if output is not None and row["group"] not in ends[row["runner"]]:
            kept = [line for line in lines.lines(output) if line.strip()][-40:]
            ends[row["runner"]][row["group"]] = ("\n".join(kept), row.get("first_error") or "")
    pairs = [pair for groups in ends.values() for pair in itertools.combinations(groups.values(), 2)]
    own = [trigrams.similarity(error, end) for groups in ends.values() for end, error in groups.values()]
    for name, found in (
        ("two outputs of one runner, other failures", [trigrams.similarity(a[0], b[0]) for a, b in pairs]),
        ("an error line and another failure's output", [trigrams.similarity(a[1], b[0]) for a, b in pairs]),
        ("an error line and its own output", own),
    ):
        share = sum(value > 0.1 for value in found) / len(found)
        print(f"{name:45} {share:.0%} of {len(found)} above .1, median {sorted(found)[len(found) // 2]:.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runner")
    parser.add_argument("--modes", default="output,report,both")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--most", type=int, default=12, help="misses told of each kind")
    parser.add_argument("--tails", action="store_true", help="only how alike the ends of outputs are")
    given = parser.parse_args()
    score = Score()
    expected = [r for r in rows(given.folder / "expected.jsonl") if given.runner in (None, r["runner"])]
    if given.tails:
        tails(given.folder, expected)
        return 0
    prints = read_runs(given.folder, expected, given.modes.split(","), score)
    compare(expected, rows(given.folder / "debatable.jsonl"), prints, score)
    if given.runner is None:
        read_hard(given.folder, prints, score)
        read_anchors(given.folder, score)
        read_trigrams(given.folder, score)
    if given.json:
        print(json.dumps({"asked": score.asked, "misses": score.misses}, indent=1, ensure_ascii=False))
    else:
        for what, asked in score.asked.items():
            missed = score.misses.get(what, [])
            print(f"{what:45} {asked - len(missed)} of {asked}")
            for told in missed[: given.most]:
                print(f"    {told}")
    required = [what for what in score.misses if "optional" not in what]
    return 1 if required else 0


if __name__ == "__main__":
    sys.exit(main())

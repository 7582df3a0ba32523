"""The numbered phases of instructions.md: their titles, steps and output files."""

import re
from dataclasses import dataclass

PHASE = re.compile(
    r"^#{1,4}\s+(?:phase|step|schritt|teil|part|stage)\s+\d{1,3}\s*[:.–-]?\s*(?P<title>\S.*)$", re.IGNORECASE
)
HEADING = re.compile(r"^#{1,4}\s+\S")
ITEM = re.compile(r"^\s{0,3}(?:\d{1,3}[.)]|[-*+])\s+(?:\[[ xX]\]\s+)?(?P<text>\S.*)$")
OUTPUT = re.compile(r"^\*{0,2}(?:output|result|ergebnis|ausgabe)\*{0,2}\s*:\**", re.IGNORECASE)
FILE = re.compile(r"`(?P<path>[\w-]+(?:/[\w.-]+)*\.(?:md|txt|csv|json))`")
FENCE = re.compile(r"^\s*(?:```|~~~)")
MOST_PHASES, MOST_STEPS, MOST_TEXT = 12, 18, 400


@dataclass(frozen=True)
class InstructedPhase:
    """One phase of the instructions."""

    title: str
    steps: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


def instructed_phases(text: str) -> tuple[InstructedPhase, ...]:
    """The phases, in order; fenced blocks (planning templates) are no instructions."""
    phases: list[tuple[str, list[str], list[str]]] = []
    inside = fenced = open_step = False
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        elif fenced:
            continue
        elif match := PHASE.match(line):
            phases.append((match["title"].strip("# *"), [], []))
            inside, open_step = True, False
        elif HEADING.match(line):
            inside = inside and line.startswith("###")
            open_step = False
        elif inside and phases:
            open_step = _read_line(line, phases[-1][1], phases[-1][2], open_step)
    return tuple(
        InstructedPhase(title[:200], tuple(step[:MOST_TEXT] for step in steps[:MOST_STEPS]), tuple(outputs[:5]))
        for title, steps, outputs in phases[:MOST_PHASES]
    )


def _read_line(line: str, steps: list[str], outputs: list[str], open_step: bool) -> bool:
    """Take a line of a phase in; tells whether the next line may go on with the same step."""
    if OUTPUT.match(line):
        outputs += [match["path"] for match in FILE.finditer(line)]
        return False
    if match := ITEM.match(line):
        steps.append(match["text"].strip())
        return True
    if open_step and line.startswith("   ") and line.strip():
        steps[-1] = f"{steps[-1]} {line.strip()}"
        return True
    return False


def order_of(text: str) -> str:
    """What the user has asked for: the last section; the product adds it to the instructions of the job's kind."""
    return text.rpartition("\n## ")[2].partition("\n")[2].strip()

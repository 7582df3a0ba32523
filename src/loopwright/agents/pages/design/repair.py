"""Drift mended in the page's source: a token in place of what it is worth, and nothing else."""

from collections.abc import Collection
from dataclasses import dataclass

from loopwright.agents.pages.compliance.markup import Edit, apply_edits
from loopwright.agents.pages.design.drift import DriftFinding, DriftRule, measure_drift

MAX_ROUNDS = 4
"""A value may hold two findings that overlap; the second is mended in the next round."""


@dataclass(frozen=True, slots=True)
class Repair:
    """A page after mending, and what was done, each once."""

    html: str
    done: tuple[str, ...] = ()

    def notes(self, limit: int = 8) -> tuple[str, ...]:
        """What was done, as one line for the model; none where nothing was."""
        if not self.done:
            return ()
        more = f" and {len(self.done) - limit} more" if len(self.done) > limit else ""
        return (f"Took the design system's tokens: {', '.join(self.done[:limit])}{more}.",)


def fix_drift(html: str, css: str, rules: Collection[DriftRule] | None = None) -> Repair:
    """Put the token in place of every value that is the same as one, and of every invented variable.

    Colours are the same within `SAME_COLOUR`, lengths within `SAME_LENGTH`, fonts and shadows when they are written the
    same. Every character outside the replaced values stays.

    Args:
        html: the page's source.
        css: its design system.
        rules: mend these only.
    """
    done: dict[str, None] = {}
    for _ in range(MAX_ROUNDS):
        wanted = [
            finding
            for finding in measure_drift(html, css).findings
            if finding.auto_fixable and (rules is None or finding.rule in rules)
        ]
        if not wanted:
            break
        edits = []
        reached = 0
        for finding in sorted(wanted, key=lambda each: each.start):
            if finding.start >= reached:
                edits.append(_edit(finding, html))
                done[f"{_shown(finding.found)} → var({finding.token})"] = None
                reached = finding.end
        html = apply_edits(html, edits)
    return Repair(html, tuple(done))


def invented_variables(html: str, css: str, before: str | None = None) -> list[Edit]:
    """The edits that put existing variables in the place of those that nobody sets.

    Args:
        html: the page's source.
        css: its design system.
        before: the page before an edit; a variable that it names already is left as it is, so that only what is new
            is touched.
    """
    return [
        _edit(finding, html)
        for finding in measure_drift(html, css).findings
        if finding.rule == "unknown-variable"
        and finding.auto_fixable
        and (before is None or _name(finding) not in before)
    ]


def _edit(finding: DriftFinding, html: str) -> Edit:
    if finding.rule != "unknown-variable":
        return Edit(finding.start, finding.end, f"var({finding.token})")
    start = html.index(_name(finding), finding.start)
    return Edit(start, start + len(_name(finding)), str(finding.token))


def _name(finding: DriftFinding) -> str:
    return "--" + finding.found.partition("--")[2].replace(")", ",").partition(",")[0].strip()


def _shown(text: str, longest: int = 40) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"

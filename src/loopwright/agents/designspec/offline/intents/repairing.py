"""“Why did it fail”, “fix it”, “undo”: what the last run and the history say, and the patches they offer."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.designspec.offline.draft import Draft
from loopwright.agents.designspec.offline.intents.intent import Phase
from loopwright.agents.designspec.offline.text import has, shown
from loopwright.agents.designspec.patches.apply import apply_patch, resolve_ids
from loopwright.kernel.errors import InvalidInput

SHOWN = 8
_WHY = re.compile(
    r"\bwhy\b.*\b(?:fail|error|wrong|work|red|invalid|stop|broken|break|bad)|\bwhat (?:went|"
    r"is|was|'s) (?:wrong|broken|the (?:problem|matter|error))|\bwhat fail|^why$|\bwhat "
    r"happened\b|\bexplain the (?:failure|error)",
    re.I,
)
_LAST_ERROR = re.compile(
    r"\blast errors?\b|\bshow (?:me )?(?:the )?errors?\b|^errors?$|\bfailed checks?\b|"
    r"\bis it (?:valid|ok|okay|good|watertight|printable|closed)\b|\bvalidity report\b|\blast "
    r"(?:run|report|result)s?\b",
    re.I,
)
_FIX = re.compile(
    r"^(?:please |can you |could you |just |now |ok |yes )*(?:fix|mend|repair|correct|"
    r"solve)\b(?: (?:it|this|that|them|all|everything|the (?:failed )?(?:problems?|errors?|"
    r"checks?|design|issues?|failures?|run))\b|$)|\bapply (?:the |all |your )?(?:fix|fixes)\b",
    re.I,
)
_UNDO = re.compile(r"^(?:please |can you )*(?:undo|revert|roll back|take (?:it|that) back|go back)\b", re.I)


@dataclass(frozen=True)
class ExplainFailure:
    """Why the last run failed."""

    phase: Phase = field(default=Phase.ASKING)

    def plan(self, draft: Draft) -> None:
        """Tell each failed check with its figures; the fixes are offered, not proposed."""
        run = draft.pack.last_run
        if run is None:
            draft.answers.append("There has been no run yet. Say “run it” when you want one.")
            return
        checks = draft.pack.failed_checks
        lines = [_told(check) for check in checks[:SHOWN]]
        errors = [str(error)[:600] for error in run.get("errors") or []]
        if run.get("success") and not checks:
            draft.answers.append(f"The last run ({run.get('run_id', '')}) succeeded, and none of its checks failed.")
            return
        if run.get("stage_failed"):
            lines.insert(0, f"It stopped at the stage `{run['stage_failed']}`.")
        lines += [error for error in errors[:SHOWN] if not any(str(check.get("message")) in error for check in checks)]
        if any(isinstance(check.get("fix"), Mapping) for check in checks):
            lines.append("Say “fix it”, and I propose the patches that would repair this.")
        draft.answers.append("\n".join(["What the last run says:", *(f"- {line}" for line in lines)]))


@dataclass(frozen=True)
class ApplyFixes:
    """The failed checks' own fixes."""

    phase: Phase = field(default=Phase.REPAIRING)

    def plan(self, draft: Draft) -> None:
        """Propose the fixes that apply, one after another; two for the same place are not stacked."""
        checks = draft.pack.failed_checks
        if draft.pack.last_run is None or not checks:
            errors = (draft.pack.last_run or {}).get("errors") or [
                str(issue.get("message")) for issue in draft.pack.issues
            ]
            told = " The errors are: " + " ".join(str(error)[:400] for error in errors[:3]) if errors else ""
            draft.answers.append(f"There is no failed check whose fix I could propose.{told}")
            return
        touched: set[str] = set()
        for check in checks:
            fix = check.get("fix")
            patch = fix.get("patch") if isinstance(fix, Mapping) else None
            if not isinstance(patch, list) or not patch:
                draft.refused.append(
                    f"For the check `{check.get('name')}` the report offers no fix: {check.get('message')}"
                )
                continue
            paths = {str(operation.get("path")) for operation in patch if isinstance(operation, Mapping)}
            if paths & touched:
                continue
            if take_over(draft, patch):
                touched |= paths
                draft.told.append(
                    str((isinstance(fix, Mapping) and fix.get("explanation")) or f"repair {check.get('name')}").rstrip(
                        "."
                    )
                )
            else:
                draft.refused.append(
                    f"The fix for `{check.get('name')}` does not fit the document any more; run it again."
                )


@dataclass(frozen=True)
class UndoChanges:
    """The last changes, backwards."""

    count: int = 1
    phase: Phase = field(default=Phase.REPAIRING)

    def plan(self, draft: Draft) -> None:
        """Propose the inverses of the newest changes, the last one first."""
        order = sorted(
            enumerate(draft.pack.history), key=lambda pair: (str(pair[1].get("at", "")), pair[0]), reverse=True
        )
        entries = [entry for _, entry in order[: self.count]]
        if not entries or not isinstance(entries[0].get("inverse"), list):
            draft.answers.append("There is no change that I could undo.")
        for entry in entries:
            inverse, summary = entry.get("inverse"), str(entry.get("summary") or "the last change")[:200]
            if not isinstance(inverse, list) or not inverse:
                return
            if not take_over(draft, inverse):
                draft.refused.append(f"“{summary}” cannot be undone: the document is another one by now.")
                return
            draft.told.append(f"undo “{summary}”")


def take_over(draft: Draft, operations: list[Any]) -> bool:
    """Add operations that came from elsewhere to the draft, if they apply to its document as it is by now."""
    copied = [dict(operation) for operation in operations if isinstance(operation, Mapping)]
    try:
        copied = resolve_ids(draft.document, copied)
        after = apply_patch(draft.document, copied)
    except InvalidInput:
        return False
    draft.document = after
    draft.operations += copied
    return True


def read_repairing(clause: str) -> ExplainFailure | ApplyFixes | UndoChanges | None:
    """What a clause wants of the last run or the last change."""
    if _UNDO.search(clause):
        times = re.search(r"\b(\d{1,2}) (?:changes|steps|patches|times)\b|\blast (\d{1,2})\b", clause, re.I)
        return UndoChanges(max(1, int(times[1] or times[2])) if times else 1)
    if _FIX.search(clause) and not has(clause, "inlets?|outlets?|radius|diameter"):
        return ApplyFixes()
    if _WHY.search(clause) or _LAST_ERROR.search(clause):
        return ExplainFailure()
    return None


def _told(check: Mapping[str, Any]) -> str:
    unit = str(check.get("unit") or "")
    figures = [
        f"{word} {_figure(check[key], unit)}"
        for key, word in (("measured", "measured"), ("required", "required"))
        if check.get(key) is not None
    ]
    place = check.get("location")
    where = (
        f", at ({', '.join(_figure(value * 1e3) for value in place)}) mm"
        if isinstance(place, list | tuple) and len(place) == 3
        else ""
    )
    fix = check.get("fix")
    fixed = f" Would repair it: {fix.get('explanation')}" if isinstance(fix, Mapping) else ""
    return (
        f"`{check.get('name')}`: {check.get('message')}"
        + (f" ({', '.join(figures)}{where})" if figures else "")
        + fixed
    )


def _figure(value: Any, unit: str = "") -> str:
    if not isinstance(value, int | float):
        return str(value)[:80]
    return shown(float(f"{value:.4g}")) if unit == "m" else f"{value:.4g} {unit}".strip()

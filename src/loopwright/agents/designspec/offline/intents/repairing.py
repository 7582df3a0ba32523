"""What changes a design that is there: repairs after a run, undoing, other channels, and removing what has a name."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loopwright.agents.designspec.offline.body import Amount, read_amount
from loopwright.agents.designspec.offline.draft import CHANNELS, Draft, build_of, every_port, tidy
from loopwright.agents.designspec.offline.intents import Phase
from loopwright.agents.designspec.offline.intents.ports import nice
from loopwright.agents.designspec.offline.text import has, shown
from loopwright.agents.designspec.patches import apply_patch, resolve_ids
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


# “Make the channels 20 % thinner”, “set the channel radius to 0.4 mm”, “delete the second channel”.

_NOUN = "channels?|holes?|bores?"
_CHANGE = (
    rf"^(?:make|set|change|reduce|increase|widen|narrow) (?:all )?(?:the |these |those |each )(?:{_NOUN})\b"
    rf"|\b(?:{_NOUN})'?s? (?:radius|radii|diameters?|width|size)\b"
    rf"|\b(?:radius|diameter|width) of (?:the |all |each )+(?:{_NOUN})\b"
)
_WIDTH = (
    "thinner|narrower|wider|thicker|bigger|larger|smaller|finer|radius|radii|diameters?|width|wide|size|twice|half|"
    "double"
)
_OTHER = "min|minimum|clearance|spacing|why|what|how|deep|taper\\w*|add"
_ORDINALS = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "last": -1}


@dataclass(frozen=True)
class ResizeChannels:
    """The straight channels that there are take another width."""

    amount: Amount
    radius: bool
    phase: Phase = field(default=Phase.SETTING)

    def plan(self, draft: Draft) -> None:
        """Change the radii of all their ports; says so where there is no straight channel."""
        drilled = {k for k in range(len(draft.components)) if build_of(draft, k) == CHANNELS}
        ports = [each for each in every_port(draft, lambda *_: True) if each[0] in drilled]
        if not ports:
            draft.refused.append("There are no straight channels whose width could change.")
            return
        told = []
        for index, role, number, port in ports:
            old = float(port["radius"])
            scale = 1.0 if self.radius or self.amount.kind == "factor" else 2.0
            new = tidy(self.amount.of(scale * old, draft.metres_per_unit) / scale)
            if draft.set(new, "components", index, "ports", role, number, "radius"):
                told.append((old, new))
            least = draft.get("policies", "resolution", "min_channel_diameter") or draft.units(2e-4)
            if 2 * new < least:
                draft.set(nice(1.8 * new), "policies", "resolution", "min_channel_diameter")
        for old, new in dict.fromkeys(told):
            draft.told.append(f"change the channels' diameter from {draft.show(2 * old)} to {draft.show(2 * new)}")
        if not told:
            draft.answers.append(
                f"In the document the channels are {draft.show(2 * float(ports[0][3]['radius']))} wide."
            )
        if not self.amount.unit_given:
            draft.assumed.append("numbers without a unit are millimetres")


@dataclass(frozen=True)
class RemoveChannel:
    """One of several straight channels goes, with the outlet across from its inlet."""

    ordinal: int
    phase: Phase = field(default=Phase.REPAIRING)

    def plan(self, draft: Draft) -> None:
        """Remove it; says how many there are where there are too few."""
        inlets = [
            (index, number)
            for index, role, number, _ in every_port(draft, lambda role, _: role == "inlets")
            if build_of(draft, index) == CHANNELS
        ]
        if not inlets or not -1 <= self.ordinal < len(inlets):
            draft.refused.append(f"There are {len(inlets)} straight channels; I do not find that one.")
            return
        index, number = inlets[self.ordinal]
        remove_port(draft, index, "inlets", number)


def read_channel_change(clause: str) -> ResizeChannels | RemoveChannel | None:
    """The change of channels that a clause asks for.

    Raises:
        UnusableQuantity: a number cannot be used.
    """
    if not has(clause, _NOUN):
        return None
    if has(clause, "remove|delete|drop|erase"):
        ordinal = next((k for word, k in _ORDINALS.items() if has(clause, word)), None)
        return RemoveChannel(ordinal) if ordinal is not None and not has(clause, "inlets?|outlets?|ports?") else None
    if not re.search(_CHANGE, clause, re.I) or has(
        clause, "min|minimum|clearance|spacing|why|what|how|deep|taper\\w*|add"
    ):
        return None
    amount = read_amount(clause)
    wide = has(clause, _WIDTH) or (amount is not None and amount.kind == "absolute" and has(clause, "make|set|change"))
    return ResizeChannels(amount, has(clause, "radius|radii")) if amount is not None and wide else None


# What goes by its name: a component, a port (with its partner, where it is a channel's end), or a body.


def remove_named(draft: Draft, name: str) -> None:
    """Remove what has this name; an unknown one is refused with the names there are.

    Args:
        draft: what is proposed.
        name: of a component, of a port (also as `component.port`), or of a domain.
    """
    bare = name.rpartition(".")[2]
    for index, component in enumerate(draft.components):
        if component.get("id") == name:
            draft.remove("components", index, guard=(("components", index, "id"), name))
            draft.told.append(f"remove the component `{name}`")
            return
    found = [each for each in every_port(draft, lambda *_: True) if each[3].get("name") == bare]
    if len(found) == 1:
        remove_port(draft, *found[0][:3])
        return
    if name in draft.domains:
        users = [str(each.get("id")) for each in draft.components if each.get("domain_ref") == name]
        if users:
            draft.refused.append(f"The body `{name}` holds {', '.join(users)}; remove those first.")
            return
        draft.remove("domains", name)
        draft.told.append(f"remove the body `{name}`")
        return
    known = [str(each.get("id")) for each in draft.components]
    known += [str(port.get("name")) for *_, port in every_port(draft, lambda *_: True)] + list(draft.domains)
    near = difflib.get_close_matches(bare, known, 3, 0.4) or known[:12]
    draft.refused.append(f"Nothing is named {name!r}. There are: {', '.join(near) or 'no parts yet'}.")


def remove_port(draft: Draft, index: int, role: str, number: int) -> None:
    """Remove a port; a straight channel's inlet and outlet go together, else the others would be joined otherwise."""
    component = draft.components[index]["id"]
    roles = [role]
    other = "outlets" if role == "inlets" else "inlets"
    if build_of(draft, index) == CHANNELS and len(draft.get("components", index, "ports", other) or []) > number:
        roles.append(other)
    left = len(draft.get("components", index, "ports", role) or []) - 1
    if len(roles) == 2 and not left:
        draft.remove("components", index, guard=(("components", index, "id"), component))
        draft.told.append(f"remove the component `{component}` with its only channel")
        return
    for each in roles:
        place = ("components", index, "ports", each, number)
        name = draft.get(*place, "name")
        draft.remove(*place, guard=((*place, "name"), name))
        draft.told.append(f"remove `{name}` of `{component}`")

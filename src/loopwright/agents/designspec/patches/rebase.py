"""Patches that were made for a document which has moved on since."""

from dataclasses import dataclass
from typing import Any

from loopwright.agents.designspec.patches.apply import Operations, apply_patch
from loopwright.agents.designspec.patches.canonical import same_json
from loopwright.agents.designspec.patches.carrying import Astray, carry_patch
from loopwright.agents.designspec.patches.describe import describe_operation
from loopwright.agents.designspec.patches.difference import difference
from loopwright.agents.designspec.patches.errors import PatchError
from loopwright.agents.designspec.patches.touches import Touch, touches_of

SHOWN_MEETINGS = 5


@dataclass(frozen=True)
class Rebased:
    """The patches commute: the operations do on the new document what they were meant to do on the old one."""

    operations: Operations


@dataclass(frozen=True)
class Conflict:
    """The patches do not commute."""

    reason: str
    """Where they meet and what each does there, in words."""
    pointers: tuple[str, ...]
    """The places that both touch, in the document that both were made for."""


def rebase_patch(base: Any, theirs: Operations, operations: Operations) -> Rebased | Conflict:
    """Carry a patch over to the document that another patch has made of the same base.

    When they commute, the result is the same whichever of them comes first. Who asks with the two exchanged gets the
    same kind of answer, and the same pointers.

    Args:
        base: the document that both were made for.
        theirs: what has been applied to it since.
        operations: what is to be applied now.

    Raises:
        PatchError: one of the patches cannot be applied to the base.
    """
    first, second = apply_patch(base, theirs), apply_patch(base, operations)
    if not theirs:
        return Rebased(operations)
    others, own = touches_of(base, theirs), touches_of(base, operations)
    meetings = [(there, here) for there in others for here in own if there.meets(here)]
    if meetings:
        return _meeting(meetings, base)
    ours_over_theirs = _carried(base, theirs, operations, first)
    theirs_over_ours = _carried(base, operations, theirs, second)
    if isinstance(ours_over_theirs, Conflict) or isinstance(theirs_over_ours, Conflict):
        return _together(ours_over_theirs, theirs_over_ours)
    if not same_json(ours_over_theirs.document, theirs_over_ours.document):
        return Conflict("The result would depend on which of the two changes comes first.", ())
    return Rebased(ours_over_theirs.operations)


def rebase_between(base: Any, current: Any, operations: Operations) -> Rebased | Conflict:
    """Carry a patch over from one document to another, whatever has led from the one to the other.

    Raises:
        PatchError: the patch cannot be applied to the base.
    """
    return rebase_patch(base, difference(base, current), operations)


@dataclass(frozen=True)
class _Carried:
    """A patch for the document that the other one has made, and what it makes of it."""

    operations: Operations
    document: Any


def _carried(base: Any, theirs: Operations, operations: Operations, moved_on: Any) -> _Carried | Conflict:
    try:
        carried = carry_patch(base, theirs, operations)
        return _Carried(carried, apply_patch(moved_on, carried))
    except Astray as astray:
        return Conflict(f"{astray.pointer}: {astray.reason}.", (astray.pointer,))
    except PatchError as error:
        return Conflict(f"After the other change: {error.message}", (error.pointer,))


def _together(*answers: _Carried | Conflict) -> Conflict:
    """What stands against either order."""
    conflicts = [answer for answer in answers if isinstance(answer, Conflict)]
    pointers = sorted({pointer for conflict in conflicts for pointer in conflict.pointers})
    return Conflict(" ".join(dict.fromkeys(conflict.reason for conflict in conflicts)), tuple(pointers))


def _meeting(meetings: list[tuple[Touch, Touch]], base: Any) -> Conflict:
    pointers = sorted({min(there.pointer, here.pointer, key=len) for there, here in meetings})
    lines = dict.fromkeys(
        f"Both touch {min(there.pointer, here.pointer, key=len) or 'the whole document'}: "
        f"the other change is {_quoted(there, base)}, this one {_quoted(here, base)}."
        for there, here in meetings
    )
    shown = list(lines)[:SHOWN_MEETINGS]
    more = f" And {len(lines) - len(shown)} more." if len(lines) > len(shown) else ""
    return Conflict(" ".join(shown) + more, tuple(pointers))


def _quoted(touch: Touch, base: Any) -> str:
    return f"“{describe_operation(touch.operation, base)}”"

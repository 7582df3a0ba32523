"""From a message to wishes: each clause is shown to the readers in turn, and the first that knows it answers."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from loopwright.agents.designspec.offline.draft import Draft
from loopwright.agents.designspec.offline.pack import Pack
from loopwright.agents.designspec.offline.quantities import UnusableQuantity, check_quantities
from loopwright.agents.designspec.offline.text import LONGEST, clauses, readable
from loopwright.agents.designspec.offline.wishes.asking import Answer, read_question
from loopwright.agents.designspec.offline.wishes.channels import read_channels
from loopwright.agents.designspec.offline.wishes.imports import read_import
from loopwright.agents.designspec.offline.wishes.mending import read_mending
from loopwright.agents.designspec.offline.wishes.networks import read_network
from loopwright.agents.designspec.offline.wishes.port_changes import read_port_change
from loopwright.agents.designspec.offline.wishes.ports import AddPorts, read_ports
from loopwright.agents.designspec.offline.wishes.removals import read_removal
from loopwright.agents.designspec.offline.wishes.resizing import read_resize
from loopwright.agents.designspec.offline.wishes.ridge import read_ridge
from loopwright.agents.designspec.offline.wishes.runs import read_run
from loopwright.agents.designspec.offline.wishes.serpentine import read_serpentine
from loopwright.agents.designspec.offline.wishes.settings import read_setting
from loopwright.agents.designspec.offline.wishes.shapes import MakeBody, read_shape
from loopwright.agents.designspec.offline.wishes.wish import Phase, Wish

MOST_WISHES = 40
"""Wishes of one message; each may add many things, and nobody writes more of them by hand."""

COURTESIES = ("thanks", "greeting")
"""Answered only when nothing else is said."""

Reader = Callable[[str], Wish | None]

READERS: tuple[Reader, ...] = (
    read_mending,
    read_question,
    read_import,
    read_removal,
    read_ridge,
    read_setting,
    read_serpentine,
    read_channels,
    read_port_change,
    read_ports,
    read_resize,
    read_network,
    read_shape,
    read_run,
)
"""The narrow ones first: what one of them takes, the later ones never see."""


@dataclass(frozen=True)
class Refusal:
    """A clause that cannot be fulfilled as it is written, and why."""

    reason: str
    phase: Phase = Phase.ASKING

    def plan(self, draft: Draft) -> None:
        """Say why."""
        draft.refused.append(self.reason)


@dataclass(frozen=True)
class Unknown:
    """A clause that no reader knows."""

    clause: str
    phase: Phase = field(default=Phase.ASKING)

    def plan(self, draft: Draft) -> None:
        """Say so, with the words themselves."""
        draft.refused.append(f"I did not understand “{self.clause[:120]}{'…' * (len(self.clause) > 120)}”.")


def understand(message: str, pack: Pack) -> list[Wish]:
    """The wishes of a message in the order in which they are planned.

    Args:
        message: the user's words, of any length and content; only the first `LONGEST` characters are wishes.
        pack: what is known of the design; a bare undo or fix is one only where there is something.

    Returns:
        At least one wish; what was not understood is among them.
    """
    if len(message) > LONGEST:
        return [Refusal(f"The message is too long for my rules: {len(message):,} characters; say it in {LONGEST:,}.")]
    pieces = clauses(readable(message))
    if len(pieces) > MOST_WISHES:
        return [
            Refusal(f"That is more than I do at once: {len(pieces)} wishes; tell me up to {MOST_WISHES} in a message.")
        ]
    read = [_read(clause) for clause in pieces]
    wishes = _shared_places(_joined_bodies([wish for wish in read if wish is not None]))
    wishes = [wish for wish in wishes if not (isinstance(wish, Answer) and wish.topic in COURTESIES)] or wishes
    return sorted(wishes, key=lambda wish: wish.phase) or [Unknown(readable(message))]


def _read(clause: str) -> Wish | None:
    if clause.lower() in ("let's start", "lets start", "let's begin", "please", "also", "ok", "okay", "and", "then"):
        return None
    try:
        check_quantities(clause)
        return next((wish for reader in READERS if (wish := reader(clause)) is not None), None) or Unknown(clause)
    except UnusableQuantity as refused:
        return Refusal(str(refused))


def _joined_bodies(wishes: list[Wish]) -> list[Wish]:
    """`Another domain, a sphere of 10 mm`: a body without sizes and the one with them behind it are the same."""
    joined: list[Wish] = []
    for wish in wishes:
        before = joined[-1] if joined else None
        if isinstance(wish, MakeBody) and isinstance(before, MakeBody) and not before.sizes.all and wish.sizes.all:
            joined[-1] = replace(wish, another=before.another or wish.another, name=before.name or wish.name)
        else:
            joined.append(wish)
    return joined


def _shared_places(wishes: list[Wish]) -> list[Wish]:
    """`Two inlets and an outlet on top, all with radius 1 mm`: what the last says of place and size holds for all."""
    ports = [wish for wish in wishes if isinstance(wish, AddPorts)]
    if len(ports) < 2:
        return wishes
    last = ports[-1]
    return [wish.sharing(last) if isinstance(wish, AddPorts) and wish is not last else wish for wish in wishes]

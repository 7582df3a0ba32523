"""From a message to intents: each clause is shown to the readers in turn, and the first that knows it answers."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from loopwright.agents.designspec.offline.draft import Draft, Pack
from loopwright.agents.designspec.offline.intents.asking import Answer, read_question
from loopwright.agents.designspec.offline.intents.channel_changes import read_channel_change
from loopwright.agents.designspec.offline.intents.channels import read_channels, read_serpentine
from loopwright.agents.designspec.offline.intents.intent import Intent, Phase
from loopwright.agents.designspec.offline.intents.networks import read_network
from loopwright.agents.designspec.offline.intents.places import read_ridge
from loopwright.agents.designspec.offline.intents.port_changes import read_port_change, read_removal
from loopwright.agents.designspec.offline.intents.ports import NewPorts, read_ports
from loopwright.agents.designspec.offline.intents.repairing import read_repairing
from loopwright.agents.designspec.offline.intents.runs import read_import, read_run
from loopwright.agents.designspec.offline.intents.settings import read_setting
from loopwright.agents.designspec.offline.intents.solids import MakeBody, read_shape
from loopwright.agents.designspec.offline.intents.spots import read_resize
from loopwright.agents.designspec.offline.text import LONGEST, UnusableQuantity, check_quantities, clauses, readable

MOST_INTENTS = 40
"""Intents of one message; each may add many things, and nobody writes more of them by hand."""

COURTESIES = ("thanks", "greeting")
"""Answered only when nothing else is said."""

Reader = Callable[[str], Intent | None]

READERS: tuple[Reader, ...] = (
    read_repairing,
    read_question,
    read_import,
    read_channel_change,
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
class RefusedClause:
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


def understand(message: str, pack: Pack) -> list[Intent]:
    """The intents of a message in the order in which they are planned.

    Args:
        message: the user's words, of any length and content; only the first `LONGEST` characters are intents.
        pack: what is known of the design; a bare undo or fix is one only where there is something.

    Returns:
        At least one intent; what was not understood is among them.
    """
    if len(message) > LONGEST:
        return [
            RefusedClause(f"The message is too long for my rules: {len(message):,} characters; say it in {LONGEST:,}.")
        ]
    pieces = clauses(readable(message))
    if len(pieces) > MOST_INTENTS:
        return [
            RefusedClause(
                f"That is more than I do at once: {len(pieces)} requests; tell me up to {MOST_INTENTS} in a message."
            )
        ]
    read = [_read(clause) for clause in pieces]
    intents = _shared_places(_joined_bodies([intent for intent in read if intent is not None]))
    intents = [
        intent for intent in intents if not (isinstance(intent, Answer) and intent.topic in COURTESIES)
    ] or intents
    return sorted(intents, key=lambda intent: intent.phase) or [Unknown(readable(message))]


def _read(clause: str) -> Intent | None:
    if clause.lower() in ("let's start", "lets start", "let's begin", "please", "also", "ok", "okay", "and", "then"):
        return None
    try:
        check_quantities(clause)
        return next((intent for reader in READERS if (intent := reader(clause)) is not None), None) or Unknown(clause)
    except UnusableQuantity as refused:
        return RefusedClause(str(refused))


def _joined_bodies(intents: list[Intent]) -> list[Intent]:
    """`Another domain, a sphere of 10 mm`: a body without sizes and the one with them behind it are the same."""
    joined: list[Intent] = []
    for intent in intents:
        before = joined[-1] if joined else None
        if isinstance(intent, MakeBody) and isinstance(before, MakeBody) and not before.sizes.all and intent.sizes.all:
            joined[-1] = replace(intent, another=before.another or intent.another, name=before.name or intent.name)
        else:
            joined.append(intent)
    return joined


def _shared_places(intents: list[Intent]) -> list[Intent]:
    """`Two inlets and an outlet on top, all with radius 1 mm`: what the last says of place and size holds for all."""
    ports = [intent for intent in intents if isinstance(intent, NewPorts)]
    if len(ports) < 2:
        return intents
    last = ports[-1]
    return [
        intent.sharing(last) if isinstance(intent, NewPorts) and intent is not last else intent for intent in intents
    ]

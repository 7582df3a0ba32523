"""“Make the channels 20 % thinner”, “set the channel radius to 0.4 mm”, “delete the second channel”."""

import re
from dataclasses import dataclass, field

from loopwright.agents.designspec.offline.body import Amount, read_amount
from loopwright.agents.designspec.offline.draft import CHANNELS, Draft, build_of, every_port, tidy
from loopwright.agents.designspec.offline.intents.intent import Phase
from loopwright.agents.designspec.offline.intents.ports import nice
from loopwright.agents.designspec.offline.text import has
from loopwright.agents.designspec.operations.removing import remove_port

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

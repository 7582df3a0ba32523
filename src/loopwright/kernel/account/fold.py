"""The account of a run as its events tell it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from loopwright.kernel.account import Evidence, Statement
from loopwright.kernel.events.runs import StatementChecked, StatementSettled, StatementsRead

SECTIONS = ("not_used", "refused", "asked", "assumed", "kept")
"""The states a run may end with, in the order in which a reader needs them."""
TAKEN_BACK, SUPERSEDED = "taken_back", "superseded"
UNKEPT = "claims that do not hold"
"""The reason for which a model that ends its work is sent back."""


@dataclass
class Account:
    """The statements of the run's messages by id, and those claims of earlier runs that are measured again.

    `messages_read` counts the user's messages that have been read; `fresh` are the numbers of those before which there
    was no result at all. `sent_back` is how often the model was told which claims do not hold, `touched` are the ids of
    earlier statements that this run has settled anew.
    """

    statements: dict[str, Statement] = field(default_factory=dict)
    earlier: dict[str, Statement] = field(default_factory=dict)
    messages_read: int = 0
    fresh: set[int] = field(default_factory=set)
    sent_back: int = 0
    touched: set[str] = field(default_factory=set)

    @property
    def open(self) -> list[Statement]:
        """The statements that have come to nothing yet."""
        return [statement for statement in self.statements.values() if statement.state == "open"]

    @property
    def next_number(self) -> int:
        """The number of the next statement: ids are never used twice in a session."""
        return 1 + max((int(key[1:]) for key in (*self.earlier, *self.statements)), default=0)

    def seed(self, earlier: Iterable[Statement]) -> None:
        """Take over what earlier runs of the session have kept."""
        self.earlier = {statement.id: statement for statement in earlier}

    def take_read(self, event: StatementsRead) -> None:
        """Take a message's statements."""
        self.messages_read = max(self.messages_read, event.message + 1)
        if event.fresh:
            self.fresh.add(event.message)
        self.statements |= {statement.id: statement for statement in event.statements}

    def take_checked(self, event: StatementChecked) -> None:
        """Take a measurement: one before the work opens the evidence, one after it completes it."""
        statement = self._get(event.statement)
        same = [e for e in statement.evidence if (e.check, e.arguments) == (event.claim.check, event.claim.arguments)]
        found = same[-1] if same else Evidence(check=event.claim.check, arguments=event.claim.arguments)
        told: dict[str, Any] = {event.when: event.holds, "digest": event.digest}
        if event.when == "after" or not found.value:
            told |= {"value": event.value or event.trouble, "where": event.where}
        evidence = (*(e for e in statement.evidence if e is not found), found.model_copy(update=told))
        self._put(statement.model_copy(update={"claim": event.claim, "evidence": evidence}))

    def take_settled(self, event: StatementSettled) -> None:
        """Take a statement's state."""
        self._put(self._get(event.statement).model_copy(update={"state": event.state, "reason": event.reason}))
        if event.statement in self.earlier:
            self.touched.add(event.statement)

    def _get(self, key: str) -> Statement:
        return self.statements[key] if key in self.statements else self.earlier[key]

    def _put(self, statement: Statement) -> None:
        (self.statements if statement.id in self.statements else self.earlier)[statement.id] = statement

    def lasting(self) -> list[Statement]:
        """What a later run of the session measures again: what was kept, and what was claimed and is not so yet."""
        every = (*self.earlier.values(), *self.statements.values())
        return [each for each in every if each.claim is not None and each.state in ("kept", "assumed", "not_used")]

    def as_told(self) -> dict[str, list[dict[str, Any]]]:
        """The account as surfaces show it: for each state the statements, with reason and evidence.

        What is still open stands under `not_used`: nobody has done anything for it. `taken_back` are statements of
        earlier messages that held and no longer do, without a later message that wanted it so; `superseded` those in
        whose place a later one has come. An earlier statement stands here only if this run has changed its state.
        """
        told: dict[str, list[dict[str, Any]]] = {s: [] for s in (*SECTIONS, TAKEN_BACK, SUPERSEDED)}
        for statement in self.statements.values():
            told["not_used" if statement.state == "open" else statement.state].append(entry(statement))
        for key in self.touched:
            statement = self.earlier[key]
            told[TAKEN_BACK if statement.state == "not_used" else statement.state].append(entry(statement))
        return told


def entry(statement: Statement) -> dict[str, Any]:
    """One statement as surfaces show it."""
    evidence = [each.model_dump(mode="json") for each in statement.evidence]
    told: dict[str, Any] = {"id": statement.id, "text": statement.text, "kind": statement.kind}
    return told | {"reason": statement.reason, "evidence": evidence}


def nothing_told() -> dict[str, list[dict[str, Any]]]:
    """The account of a run that has none."""
    return Account().as_told()

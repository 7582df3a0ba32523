"""Events of the account: what the user said, statement by statement, what was measured, and what each has come to."""

from typing import ClassVar, Literal

from pydantic import Field

from loopwright.kernel.account.kit import Claim, State, Statement
from loopwright.kernel.events.base import Payload


class StatementsRead(Payload):
    """A message of the user was read. `message` counts the user's messages in the run, from 0.

    `by` says who cut it into statements. `fresh` tells that there was no result at all when it was read, so that
    whatever holds in the end was made since.
    """

    type: ClassVar[str] = "statements_read"
    message: int
    by: Literal["rules", "model"]
    fresh: bool = False
    statements: list[Statement] = Field(default_factory=list)


class StatementChecked(Payload):
    """A statement's claim was measured, before the work or after it.

    `holds` is None where it could not be measured; `trouble` says why. `value` is what was found, `where` the place in
    the result.
    """

    type: ClassVar[str] = "statement_checked"
    statement: str
    claim: Claim
    when: Literal["before", "after"]
    holds: bool | None
    value: str = ""
    where: str = ""
    digest: str = ""
    trouble: str = ""


class StatementSettled(Payload):
    """A statement has got its state; `reason` says why, where that is not in its evidence."""

    type: ClassVar[str] = "statement_settled"
    statement: str
    state: State
    reason: str = ""

"""The account's checks of this agent: the solid as its user gets it, measured by code that had no part in making it."""

from loopwright.agents.designspec.account.checks import CHECKS
from loopwright.agents.designspec.account.reading import is_fresh, read_claims, said_something
from loopwright.kernel.account.kit import AccountKit

ACCOUNT = AccountKit(checks=CHECKS, read=read_claims, fresh=is_fresh, applies=said_something)
"""What the kernel needs to settle what users say of a design."""

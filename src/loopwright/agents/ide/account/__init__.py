"""The account of the ide agent: what a statement promises, and checks that measure it apart from the tools' code."""

from loopwright.agents.ide.account.checks import TREE_CHECKS
from loopwright.agents.ide.account.reading import read
from loopwright.agents.ide.account.told import TOLD_CHECKS
from loopwright.kernel.account.kit import AccountKit

KIT = AccountKit(checks=(*TREE_CHECKS, *TOLD_CHECKS), read=read)

__all__ = ["KIT"]

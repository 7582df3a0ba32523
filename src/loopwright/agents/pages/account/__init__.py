"""The pages' account: what of the user's words is seen on the pages, measured by code that did not make them."""

from loopwright.agents.pages.account.changing import CHANGED, UNDONE
from loopwright.agents.pages.account.checks import CHECKS
from loopwright.agents.pages.account.living import LIVES
from loopwright.agents.pages.account.reading import is_fresh, read_claims
from loopwright.kernel.account import AccountKit

ACCOUNT = AccountKit(checks=(*CHECKS, LIVES, CHANGED, UNDONE), read=read_claims, fresh=is_fresh)
"""What the kernel needs to settle what users say of an app."""

"""The tools of the pages agent (spec 000, phase 1): one file each, beside it the text that the model reads."""

from loopwright.agents.pages.tools.analyze_brief import AnalyzeBrief
from loopwright.agents.pages.tools.ask_user import AskUser
from loopwright.agents.pages.tools.change_tokens import ChangeTokens
from loopwright.agents.pages.tools.create_design_system import CreateDesignSystem
from loopwright.agents.pages.tools.delete_page import DeletePage
from loopwright.agents.pages.tools.edit_page import EditPage
from loopwright.agents.pages.tools.extract_style import ExtractStyle
from loopwright.agents.pages.tools.generate_page import GeneratePage
from loopwright.agents.pages.tools.list_pages import ListPages
from loopwright.agents.pages.tools.read_page import ReadPage
from loopwright.agents.pages.tools.restore_page import RestorePage
from loopwright.agents.pages.tools.validate_html import ValidateHtml
from loopwright.agents.pages.tools.withdraw_promise import WithdrawPromise
from loopwright.kernel.registry import AnyTool

__all__ = ["all_tools"]


def all_tools() -> tuple[AnyTool, ...]:
    """The tools in the order in which the model sees them."""
    return (
        AnalyzeBrief(),
        AskUser(),
        ExtractStyle(),
        CreateDesignSystem(),
        ChangeTokens(),
        GeneratePage(),
        EditPage(),
        RestorePage(),
        DeletePage(),
        ReadPage(),
        ListPages(),
        ValidateHtml(),
        WithdrawPromise(),
    )

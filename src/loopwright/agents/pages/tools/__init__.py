"""The tools of the pages agent (spec 000, phase 1): one file each, beside it the text that the model reads."""

from loopwright.agents.pages.tools.analyze_brief import AnalyzeBrief
from loopwright.agents.pages.tools.build_pages import BuildPages
from loopwright.agents.pages.tools.change_app import ChangeApp
from loopwright.agents.pages.tools.design import ChangeTokens, CreateDesignSystem, ExtractStyle
from loopwright.agents.pages.tools.edit_page import EditPage, ValidateHtml
from loopwright.agents.pages.tools.interview import AskUser
from loopwright.agents.pages.tools.pages import DeletePage, ListPages, ReadPage, RestorePage
from loopwright.agents.pages.tools.withdraw_promise import WithdrawPromise
from loopwright.agents.pages.tools.writing import GeneratePage
from loopwright.kernel.tools import AnyTool

__all__ = ["all_tools"]


def all_tools() -> tuple[AnyTool, ...]:
    """The tools in the order in which the model sees them."""
    return (
        AnalyzeBrief(),
        AskUser(),
        ExtractStyle(),
        BuildPages(),
        CreateDesignSystem(),
        ChangeTokens(),
        GeneratePage(),
        EditPage(),
        ChangeApp(),
        RestorePage(),
        DeletePage(),
        ReadPage(),
        ListPages(),
        ValidateHtml(),
        WithdrawPromise(),
    )

"""Wishes in Chinese: the commonest are carried out, the others are not guessed at."""

import pytest

from loopwright.agents.pages.offline.studio.editing import edit_page
from loopwright.agents.pages.offline.studio.editing.source import to_english
from loopwright.agents.pages.offline.wishes import understand
from tests.agents.pages.offline.studio.test_editing import PAGE

CHANGES = {
    "把标题改成欢迎光临": "<h1>欢迎光临</h1>",
    "请把页眉变成绿色": ".app-bar { background: #2",
    "把“Add”改成“购买”": ">购买</button>",
    "主题色改成#E50914": "--color-primary: #E50914",
    "添加用户评价": 'id="added-testimonials"',
    "隐藏横幅": "#hero { display: none !important }",
    "按钮大一点": "min-height: 56px",
    "使用直角": "--radius-m: 0px",
}


@pytest.mark.parametrize("wish", CHANGES)
def test_common_wishes(wish: str) -> None:
    outcome = edit_page(PAGE, wish)
    assert CHANGES[wish] in outcome.html
    assert outcome.understood


@pytest.mark.parametrize("wish", ["把那个弄好看", "你好吗", "make the header green", ""])
def test_what_is_not_known_is_not_guessed(wish: str) -> None:
    assert to_english(wish) is None


@pytest.mark.parametrize(
    ("message", "kind"),
    [("撤销", "undo"), ("恢复旧的页眉", "undo"), ("删除购物车页面", "remove_page"), ("把标题改成你好", "edit")],
)
def test_kinds_of_wishes(message: str, kind: str) -> None:
    assert understand(message, has_pages=True).kind == kind

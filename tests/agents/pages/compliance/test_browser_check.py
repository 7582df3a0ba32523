"""The browser check itself: it must see what is wrong, or the tests that rely on it prove nothing."""

from pathlib import Path

import pytest

from tests.support import browser
from tests.support.browser import check_page_in_chromium

HEAD = '<!doctype html><meta name="viewport" content="width=device-width, initial-scale=1"><title>T</title>'


async def check(folder: Path, html: str) -> list[str]:
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    return (await check_page_in_chromium(path)).problems()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("html", "problem"),
    [
        ("<!doctype html><p>x", "innerWidth is 980"),
        (HEAD + '<div style="width:500px">x</div>', "scrolls sideways by 78px"),
        (HEAD + '<button style="width:44px;height:43px">x</button>', "body > button is only 44.0 by 43.0px"),
        (HEAD + '<label>a <input id="i" type="checkbox"></label>', "#i is only 13.0 by 13.0px"),
        (HEAD + "<script>missing()</script>", "console: missing is not defined"),
        (HEAD + "<script>console.error('oh')</script>", "console: oh"),
        (HEAD + '<img alt="" src="none.png">', "request failed: file://"),
        (HEAD + '<img alt="" src="https://example.com/x.png">', "request failed: https://example.com/x.png"),
    ],
)
async def test_each_kind_of_problem_is_seen(tmp_path: Path, html: str, problem: str) -> None:
    assert any(found.startswith(problem) for found in await check(tmp_path, html))


@pytest.mark.browser
@pytest.mark.parametrize(
    "body",
    [
        "<p>Read the <a href='#'>terms</a> first.</p>",
        "<label style='display:flex;min-height:44px'><input type=checkbox> Yes, please</label>",
        "<button style='display:none'>x</button><button style='visibility:hidden'>x</button>",
        "<a href='#' style='position:absolute;left:-999px'>Skip</a>",
        "<a href='#'><div style='height:50px'>Block in a link</div></a>",
        "<button style='width:44px;height:44px'>x</button>",
    ],
)
async def test_what_a_thumb_can_hit_is_no_problem(tmp_path: Path, body: str) -> None:
    assert await check(tmp_path, HEAD + body) == []


def test_without_a_browser_tests_are_skipped_but_not_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.delenv("LOOPWRIGHT_REQUIRE_BROWSER", raising=False)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no browser on the PATH"):
        browser.find_chromium()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no browser on the PATH"):
        browser.find_chromium()

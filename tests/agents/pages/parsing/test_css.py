"""The style sheet in an answer."""

import pytest

from loopwright.agents.pages.parsing.fences import extract_css, fences

CSS = ":root { --a: 1px; }\n.btn { min-height: 44px; }"


@pytest.mark.parametrize(
    "answer", [f"```css\n{CSS}\n```", f"Here:\n```\n{CSS}\n```\nEnjoy.", CSS, f"~~~css\n{CSS}\n~~~", f"\n{CSS}\n\n"]
)
def test_css_is_found(answer: str) -> None:
    assert extract_css(answer) == CSS + "\n"


@pytest.mark.parametrize("answer", ["", "I cannot do that.", f"```css\n{CSS}", "```css\n\n```", "Use { braces }"])
def test_no_whole_style_sheet(answer: str) -> None:
    assert extract_css(answer) is None


def test_the_longest_fence_counts() -> None:
    assert extract_css(f"```css\n.a{{}}\n```\n```css\n{CSS}\n```") == CSS + "\n"


def test_fences_know_where_they_stand() -> None:
    text = "a\n````md\n```\ninner\n```\n````\nb"
    (fence,) = fences(text)
    assert (fence.tag, fence.content, fence.closed) == ("md", "```\ninner\n```\n", True)
    assert text[: fence.start] + text[fence.end :] == "a\nb"

"""`analyze_brief` hears the user's own words, however a model shortens them."""

import pytest

from tests.agents.pages.studio import Studio


@pytest.mark.parametrize(
    ("user_request", "user_message", "count"),
    [
        ("make a tea house app", "A one page app for a tea house", 1),
        ("A one page app for a tea house", "A one page app for a tea house", 1),
        ("a tea house app with 3 pages", "yes, go on", 3),
    ],
)
async def test_the_number_of_pages_is_the_users(
    studio: Studio, user_request: str, user_message: str, count: int
) -> None:
    """A small model drops the number; it is found in what the user wrote."""
    result = await studio.call("analyze_brief", {"user_request": user_request}, user_message=user_message)
    assert result.artifacts is not None
    assert len(result.artifacts["suggested_pages"]) == count

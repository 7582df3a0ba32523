"""What the tests of the pipeline share."""

import pytest

from loopwright.agents.designspec.pipeline import recipes


@pytest.fixture(autouse=True)
def one_version_of_the_code(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trial worker's version of the code, so that someone who edits the source meanwhile disturbs no test."""
    if "real_code" not in request.fixturenames:
        monkeypatch.setattr(recipes, "code_version", lambda: "trial")


@pytest.fixture
def real_code() -> None:
    """For tests that run the real worker."""

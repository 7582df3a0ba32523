"""The user's settings reach what they are meant for."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from loopwright.app.agents import package_options
from loopwright.app.loopwright import with_settings
from loopwright.app.models import model_settings
from loopwright.app.settings import Settings
from loopwright.kernel.compaction import AU2
from loopwright.models.client import OpenAIClient
from tests.engine.toys import TOY


def test_the_home_lies_with_the_users_data_and_never_in_the_folder_that_is_worked_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By the XDG base directory specification, which says to ignore relative paths."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert Settings().home == tmp_path / "data" / "loopwright"
    for value in ("data", ""):
        monkeypatch.setenv("XDG_DATA_HOME", value)
        assert Settings().home == Path.home() / ".local" / "share" / "loopwright"
    monkeypatch.setenv("LOOPWRIGHT_HOME", str(tmp_path / "own"))
    assert Settings().home == tmp_path / "own"


def test_limits_replace_the_agents_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps, compaction and budget by their variables; what is not set stays as the agent has it."""
    unchanged = with_settings(TOY, Settings())
    assert (unchanged.limits.max_steps, unchanged.compaction) == (TOY.limits.max_steps, TOY.compaction)
    for name, value in {
        "SOUL_MAX_STEPS": "7",
        "SOUL_COMPACT_THRESHOLD": "50",
        "LOOPWRIGHT_MAX_TOKENS_PER_RUN": "1000",
        "LOOPWRIGHT_MAX_USD_PER_RUN": "0.5",
        "LOOPWRIGHT_MAX_USD_PER_DAY": "2",
        "LOOPWRIGHT_MAX_USD_PER_SESSION": "1",
        "LOOPWRIGHT_SOFT_USD_PER_TURN": "0.1",
        "LOOPWRIGHT_WALL_TIME_SEC": "600",
        "LOOPWRIGHT_TURN_LIMIT": "4",
        "LOOPWRIGHT_RETRY_LIMIT_PER_STAGE": "0",
    }.items():
        monkeypatch.setenv(name, value)
    limited = with_settings(TOY, Settings())
    assert limited.limits.max_steps == 7
    assert isinstance(limited.compaction, AU2)
    assert limited.compaction.max_messages == 50
    budget = limited.limits.budget
    assert (budget.max_tokens_per_run, budget.max_usd_per_run, budget.max_usd_per_day) == (1_000, 0.5, 2.0)
    assert (budget.max_usd_per_session, budget.soft_usd_per_turn) == (1.0, 0.1)
    limits = limited.limits
    assert (limits.turn_seconds, limits.max_turns, limits.retries_per_stage) == (600.0, 4, 0)


def test_what_an_installation_sets_for_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is set: the agents know their own defaults."""
    monkeypatch.delenv("LOOPWRIGHT_SELF_CHECK")  # set for all tests
    assert package_options("planner") == {}
    monkeypatch.setenv("ALLOW_NEW_SUBTYPE_PROPOSALS", "false")
    monkeypatch.setenv("LOOPWRIGHT_CONTINUE_FROM", "0.8")
    assert package_options("planner") == {"allow_new_subtype_proposals": False, "continue_from": 0.8}


def test_the_model_that_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither key nor address: the offline model. An address without a key is used without one."""
    assert Settings().offline
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("MODEL_STANDARD", "small")
    monkeypatch.setenv("MODEL_STANDARD_FALLBACK", "smaller")
    monkeypatch.setenv("MODEL_RETRIES", "2")
    monkeypatch.setenv("MODEL_TOOLS", "schema")
    settings = Settings()
    assert not settings.offline
    told = model_settings(settings)
    assert (told.base_url, told.api_key, told.attempts, told.tools) == ("http://127.0.0.1:9/v1", None, 3, "schema")
    client = OpenAIClient(told)
    assert (client.model_of("standard"), client.model_of("fast")) == ("small", "gpt-4.1-mini")
    assert dict(told.secondary) == {"standard": "smaller"}


def test_secrets_are_not_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither in the settings' words nor in those made of them."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("LOOPWRIGHT_TOKEN", "token-very-secret")
    settings = Settings(home=tmp_path)
    assert "very-secret" not in f"{settings!r} {settings} {model_settings(settings)!r}"
    assert model_settings(settings).api_key == "sk-very-secret"


def test_what_belongs_to_others_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every system sets HOME, and many tools set the others."""
    before = Settings()
    for name, value in {
        "HOME": "/elsewhere",
        "PORT": "1",
        "HOST": "0.0.0.0",
        "TOKEN": "t",
        "LOG_LEVEL": "DEBUG",
    }.items():
        monkeypatch.setenv(name, value)
    assert Settings() == before


def test_an_empty_variable_is_unset_and_the_first_alias_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is given by name wins over both, and an unusable value is told by its variable."""
    monkeypatch.setenv("LOOPWRIGHT_PORT", "")
    monkeypatch.setenv("LOOPWRIGHT_MAX_STEPS", "9")
    assert (Settings().port, Settings().max_steps) == (8700, 9)
    monkeypatch.setenv("SOUL_MAX_STEPS", "7")
    assert (Settings().max_steps, Settings(max_steps=5).max_steps) == (7, 5)
    monkeypatch.setenv("LOOPWRIGHT_PORT", "many")
    with pytest.raises(ValidationError, match="LOOPWRIGHT_PORT"):
        Settings()

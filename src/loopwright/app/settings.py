"""Settings: the only reader of the environment."""

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, AwareDatetime, Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from loopwright.kernel.errors import Misconfigured


def _named(*names: str) -> AliasChoices:
    return AliasChoices(*names)


def _data_folder() -> Path:
    """Where the user's programs keep their data, by the XDG base directory specification.

    Raises:
        Misconfigured: the user has no home folder.
    """
    named = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(named):  # a relative one is to be ignored
        return Path(named) / "loopwright"
    try:
        return Path.home() / ".local" / "share" / "loopwright"
    except RuntimeError as error:
        raise Misconfigured("You have no home folder.", hint="Set LOOPWRIGHT_HOME to a folder of your own.") from error


class Settings(BaseSettings):
    """Everything that can be set from outside; each field's alias is the environment variable."""

    # Fields may be given by name, and then the environment is asked by their names too: without the prefix that would
    # be HOME, PORT and TOKEN, which belong to others.
    model_config = SettingsConfigDict(
        env_prefix="LOOPWRIGHT_", env_ignore_empty=True, extra="ignore", populate_by_name=True
    )

    home: Path = Field(default_factory=_data_folder, validation_alias=_named("LOOPWRIGHT_HOME"))
    """Folder of the SQLite file, of permissions, and of what agents keep; never one that they work on."""
    database_url: str | None = Field(None, validation_alias=_named("DATABASE_URL"))
    """PostgreSQL instead of the SQLite file."""
    neo4j_uri: str | None = Field(None, validation_alias=_named("NEO4J_URI"))
    """A Neo4j server instead of the graph's file."""
    neo4j_user: str | None = Field(None, validation_alias=_named("NEO4J_USER"))
    neo4j_password: SecretStr | None = Field(None, validation_alias=_named("NEO4J_PASSWORD"))
    output_dir: Path = Field(Path("loopwright-out"), validation_alias=_named("LOOPWRIGHT_OUT"))
    """Where sessions' folders are made when nothing else is said."""
    prompts_dir: Path | None = Field(None, validation_alias=_named("LOOPWRIGHT_PROMPTS"))
    """Folder whose `agent/name.md` replace the packaged prompts."""

    openai_base_url: str | None = Field(None, validation_alias=_named("OPENAI_BASE_URL"))
    openai_api_key: SecretStr | None = Field(None, validation_alias=_named("OPENAI_API_KEY"))
    model_fast: str | None = Field(None, validation_alias=_named("MODEL_FAST"))
    model_standard: str | None = Field(None, validation_alias=_named("MODEL_STANDARD"))
    model_powerful: str | None = Field(None, validation_alias=_named("MODEL_POWERFUL"))
    model_fast_fallback: str | None = Field(None, validation_alias=_named("MODEL_FAST_FALLBACK"))
    model_standard_fallback: str | None = Field(None, validation_alias=_named("MODEL_STANDARD_FALLBACK"))
    model_powerful_fallback: str | None = Field(None, validation_alias=_named("MODEL_POWERFUL_FALLBACK"))
    model_vision: str | None = Field(None, validation_alias=_named("MODEL_VISION"))
    """Model that looks at reference images; without one their colours and shapes are measured."""
    model_tools: Literal["auto", "native", "schema"] = Field("auto", validation_alias=_named("MODEL_TOOLS"))
    model_timeout: float = Field(300.0, gt=0, validation_alias=_named("MODEL_TIMEOUT"))
    """Seconds without a byte from the endpoint before a call is tried again."""
    model_max_tokens: int | None = Field(None, ge=64, validation_alias=_named("MODEL_MAX_TOKENS"))
    """Tokens of the longest answer; a slow local model is kept from writing on and on."""
    model_retries: int = Field(5, ge=0, le=20, validation_alias=_named("MODEL_RETRIES"))

    max_steps: int | None = Field(None, ge=1, validation_alias=_named("SOUL_MAX_STEPS", "LOOPWRIGHT_MAX_STEPS"))
    """Steps of one run, instead of each agent's own cap."""
    compact_threshold: int | None = Field(None, ge=8, validation_alias=_named("SOUL_COMPACT_THRESHOLD"))
    """Messages at which the dialogue is compressed, instead of each agent's own number."""
    max_tokens_per_run: int | None = Field(None, ge=1, validation_alias=_named("LOOPWRIGHT_MAX_TOKENS_PER_RUN"))
    max_usd_per_run: float | None = Field(None, ge=0, validation_alias=_named("LOOPWRIGHT_MAX_USD_PER_RUN"))
    max_usd_per_session: float | None = Field(None, ge=0, validation_alias=_named("LOOPWRIGHT_MAX_USD_PER_SESSION"))
    max_usd_per_day: float | None = Field(None, ge=0, validation_alias=_named("LOOPWRIGHT_MAX_USD_PER_DAY"))
    soft_usd_per_turn: float | None = Field(None, ge=0, validation_alias=_named("LOOPWRIGHT_SOFT_USD_PER_TURN"))
    """USD from one word of the user to the next, above which they are asked whether to go on."""
    turn_seconds: float | None = Field(None, gt=0, validation_alias=_named("LOOPWRIGHT_WALL_TIME_SEC"))
    """Active seconds from one word of the user to the next, above which they are asked whether to go on."""
    max_turns: int | None = Field(None, ge=1, validation_alias=_named("LOOPWRIGHT_TURN_LIMIT"))
    """The user's messages and answers in one run."""
    retries_per_stage: int | None = Field(None, ge=0, validation_alias=_named("LOOPWRIGHT_RETRY_LIMIT_PER_STAGE"))
    """How often a later check may send a run back to a stage."""

    allow_new_subtype_proposals: bool | None = Field(None, validation_alias=_named("ALLOW_NEW_SUBTYPE_PROPOSALS"))
    """Whether the planner may propose subtypes of patterns that nobody knows yet."""
    require_rfc_for_new_subtype: bool | None = Field(None, validation_alias=_named("REQUIRE_RFC_FOR_NEW_SUBTYPE"))
    """Whether such a proposal waits for a human."""
    continue_from: float | None = Field(None, ge=0, le=1, validation_alias=_named("LOOPWRIGHT_CONTINUE_FROM"))
    """Confidence in a draft from which the planner goes on."""
    retry_from: float | None = Field(None, ge=0, le=1, validation_alias=_named("LOOPWRIGHT_RETRY_FROM"))
    """Confidence in a draft from which the planner tries again by itself; below it the user is asked."""

    chromium: str | None = Field(None, validation_alias=_named("LOOPWRIGHT_CHROMIUM"))
    """Program that renders pages, instead of the Chromium on the PATH."""
    self_check: int | None = Field(None, ge=0, le=5, validation_alias=_named("LOOPWRIGHT_SELF_CHECK"))
    """How often a run may be sent back over what its pages look like in the browser; 0 renders nothing."""

    host: str = Field("127.0.0.1", validation_alias=_named("LOOPWRIGHT_HOST"))
    port: int = Field(8700, ge=0, le=65_535, validation_alias=_named("LOOPWRIGHT_PORT"))
    token: SecretStr | None = Field(None, validation_alias=_named("LOOPWRIGHT_TOKEN"))
    """Bearer token that every HTTP request must carry; needed to bind beyond loopback."""
    log_level: str = Field("WARNING", validation_alias=_named("LOOPWRIGHT_LOG"))
    runs_at_once: int = Field(64, ge=1, validation_alias=_named("LOOPWRIGHT_RUNS_AT_ONCE"))
    """Runs that a process executes at once; the others wait, each session in its turn."""
    heartbeat_seconds: float = Field(5.0, gt=0, validation_alias=_named("LOOPWRIGHT_HEARTBEAT"))
    now: AwareDatetime | None = Field(None, validation_alias=_named("LOOPWRIGHT_NOW"))
    """The moment that plans take for the present, for rehearsals and tests."""
    crash_at: str | None = Field(None, validation_alias=_named("LOOPWRIGHT_CRASH_AT"))
    """For tests: `point` or `point:hits`, where the process kills itself."""

    @property
    def run_options(self) -> dict[str, Any]:
        """What an installation sets for its agents' runs; each run keeps in its journal what held when it began."""
        names = {
            "allow_new_subtype_proposals",
            "require_rfc_for_new_subtype",
            "continue_from",
            "retry_from",
            "self_check",
            "model_vision",
        }
        return self.model_dump(include=names, exclude_none=True)

    @property
    def offline(self) -> bool:
        """Whether the built-in offline model answers: neither a key nor an endpoint is set."""
        return self.openai_api_key is None and self.openai_base_url is None

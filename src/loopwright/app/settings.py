"""Settings: the only reader of the environment."""

import gc
import os
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import AliasChoices, AwareDatetime, BaseModel, ConfigDict, Field, SecretStr, ValidationError

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


def variable(name: str) -> str | None:
    """A variable of the environment that a file of the user's names, such as `${TOKEN}` in `mcp.json`."""
    return os.environ.get(name)


class FromEnvironment(BaseModel):
    """A model whose fields are environment variables, by their aliases; what is given by field name wins.

    An empty variable counts as unset. Where a field has several aliases, the first that is set holds.
    """

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    def __init__(self, **given: Any) -> None:
        """Read what is not given.

        Raises:
            ValidationError: a variable, or what is given, has an unusable value.
        """
        found = {}
        for name, info in type(self).model_fields.items():
            alias = info.validation_alias
            names = alias.choices if isinstance(alias, AliasChoices) else [alias]
            known = (each for each in names if isinstance(each, str) and os.environ.get(each))
            if name not in given and (variable := next(known, None)) is not None:
                found[variable] = os.environ[variable]
        super().__init__(**found, **given)


class Settings(FromEnvironment):
    """Everything that can be set from outside; each field's alias is the environment variable."""

    home: Path = Field(default_factory=_data_folder, validation_alias=_named("LOOPWRIGHT_HOME"))
    """Folder of the SQLite file, of permissions, and of what agents keep; never one that they work on."""
    database_url: str | None = Field(None, validation_alias=_named("DATABASE_URL"))
    """PostgreSQL instead of the SQLite file."""
    output_dir: Path = Field(Path("loopwright-out"), validation_alias=_named("LOOPWRIGHT_OUT"))
    """Where sessions' folders are made when nothing else is said."""
    prompts_dir: Path | None = Field(None, validation_alias=_named("LOOPWRIGHT_PROMPTS"))
    """Folder whose `agent/name.md` replace the packaged prompts."""

    openai_base_url: str | None = Field(None, validation_alias=_named("OPENAI_BASE_URL"))
    """An address; `local` for the model that runs in the background, `offline` for the built-in rules."""
    openai_api_key: SecretStr | None = Field(None, validation_alias=_named("OPENAI_API_KEY"))
    model_fast: str | None = Field(None, validation_alias=_named("MODEL_FAST"))
    model_standard: str | None = Field(None, validation_alias=_named("MODEL_STANDARD"))
    model_powerful: str | None = Field(None, validation_alias=_named("MODEL_POWERFUL"))
    model_fast_fallback: str | None = Field(None, validation_alias=_named("MODEL_FAST_FALLBACK"))
    model_standard_fallback: str | None = Field(None, validation_alias=_named("MODEL_STANDARD_FALLBACK"))
    model_powerful_fallback: str | None = Field(None, validation_alias=_named("MODEL_POWERFUL_FALLBACK"))
    model_tools: Literal["auto", "native", "schema"] = Field("auto", validation_alias=_named("MODEL_TOOLS"))
    model_profile: Literal["auto", "small", "frontier"] = Field("auto", validation_alias=_named("MODEL_PROFILE"))
    """What kind of model answers: a small one gets few tools and short prompts."""
    model_timeout: float = Field(300.0, gt=0, validation_alias=_named("MODEL_TIMEOUT"))
    """Seconds without a byte from the endpoint before a call is tried again."""
    model_max_tokens: int | None = Field(None, ge=64, validation_alias=_named("MODEL_MAX_TOKENS"))
    """Tokens of the longest answer; a slow local model is kept from writing on and on."""
    model_retries: int = Field(5, ge=0, le=20, validation_alias=_named("MODEL_RETRIES"))

    account_reading: Literal["rules", "model"] | None = Field(None, validation_alias=_named("LOOPWRIGHT_ACCOUNT"))
    """Who cuts the user's messages into statements for the account: rules, or the model, a call for each message."""

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

    host: str = Field("127.0.0.1", validation_alias=_named("LOOPWRIGHT_HOST"))
    port: int = Field(8700, ge=0, le=65_535, validation_alias=_named("LOOPWRIGHT_PORT"))
    token: SecretStr | None = Field(None, validation_alias=_named("LOOPWRIGHT_TOKEN"))
    """Bearer token that every HTTP request must carry; needed to bind beyond loopback."""
    otel_endpoint: str | None = Field(None, validation_alias=_named("OTEL_EXPORTER_OTLP_ENDPOINT"))
    """Where spans and metrics are sent by OTLP over HTTP; OpenTelemetry's other variables hold too."""
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
        return self.model_dump(include={"account_reading"}, exclude_none=True)

    @property
    def offline(self) -> bool:
        """Whether the built-in offline model answers: it is asked for, or neither a key nor an endpoint is set."""
        unset = self.openai_api_key is None and self.openai_base_url is None
        return unset or self.openai_base_url == "offline"


class PackageSettings(FromEnvironment):
    """Base of the settings that an agent's package brings; each field's alias is the environment variable.

    `run_options` names the fields that each run keeps in its journal as they held when it began.
    """

    run_options: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def load(cls) -> Self:
        """The settings as the environment has them.

        Raises:
            Misconfigured: a variable has an unusable value.
        """
        try:
            return cls()
        except ValidationError as error:
            first = error.errors()[0]
            raise Misconfigured(
                f"{first['loc'][0]}: {first['msg']}.", hint="Correct the environment variable."
            ) from error

    def options(self) -> dict[str, Any]:
        """What is set of the run options."""
        return self.model_dump(include=set(self.run_options), exclude_none=True)


# Finds the state that older versions kept in the folder they were called in; nothing in it is opened.

OLD_FOLDER = ".loopwright"
DATABASE = "loopwright.db"


def old_state(folder: Path, home: Path) -> Path | None:
    """The state folder of an older version in a project, if there is one; nothing in it is opened."""
    old = folder / OLD_FOLDER
    if old.resolve() == home.resolve() or not any(os.path.lexists(old / name) for name in (DATABASE, "ide")):
        return None
    return old


# What a process that serves runs sets up once; a library that is merely imported changes nothing of its host.

GENERATION_0 = 10_000
"""Allocations before a young collection. Runs make many small objects that live as long as they do; at Python's own
threshold the collector walks them again and again (500 concurrent runs: 1,704 steps/s, with this 2,362)."""


def settle_garbage_collector() -> None:
    """Leave what is loaded by now out of collections, and collect less often."""
    gc.freeze()
    gc.set_threshold(GENERATION_0, 10, 10)

"""What the background process and those who ask it tell each other: two small files in a folder of the user's."""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.kernel.files import write_whole

FOLDER: Final = "local-model"
"""Its name in the user's folder."""
CONFIG, STATE, FAILURE, LOG, LOCK = "config.json", "state.json", "failure.json", "log.txt", ".lock"


class LocalConfig(BaseModel):
    """Which file is run, and how. `idle_seconds` without a question end the process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: Path
    name: str = Field(min_length=1, max_length=300)
    context_tokens: int = Field(8_192, ge=1_024, le=1_048_576)
    idle_seconds: float = Field(600.0, gt=0)


class Order(BaseModel):
    """What a process is started with. `token` is its name; `key` lets nobody else ask it, and is on no command line."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    token: str
    key: str
    config: LocalConfig


class LocalState(Order):
    """A process that answers: it lives as long as this stands in its file."""

    pid: int = Field(gt=0)
    port: int = Field(ge=1, le=65_535)


def read_config(folder: Path) -> LocalConfig | None:
    """The configuration, or None where there is none that can be read."""
    try:
        return LocalConfig.model_validate_json((folder / CONFIG).read_bytes())
    except (OSError, ValidationError):
        return None


def write_config(folder: Path, config: LocalConfig) -> None:
    """Keep the configuration."""
    write_whole(folder / CONFIG, config.model_dump_json().encode())


def read_state(folder: Path) -> LocalState | None:
    """The process that answers, or None where none is known."""
    try:
        return LocalState.model_validate_json((folder / STATE).read_bytes())
    except (OSError, ValidationError):
        return None


def write_state(folder: Path, state: LocalState) -> None:
    """Tell that the process answers."""
    write_whole(folder / STATE, state.model_dump_json().encode())


def drop_state(folder: Path, token: str) -> None:
    """Take a process's right to live, unless another has taken its place; it ends within a second or two."""
    state = read_state(folder)
    if state is not None and state.token == token:
        (folder / STATE).unlink(missing_ok=True)


def write_failure(folder: Path, token: str, message: str) -> None:
    """Tell why a process could not begin."""
    write_whole(folder / FAILURE, json.dumps({"token": token, "message": message}).encode())


def read_failure(folder: Path, token: str) -> str | None:
    """Why this process could not begin, if it has said so."""
    try:
        told = json.loads((folder / FAILURE).read_bytes())
    except (OSError, ValueError):
        return None
    return str(told.get("message")) if isinstance(told, dict) and told.get("token") == token else None


def is_alive(pid: int) -> bool:
    """Whether a process of this number runs; one that has ended and waits to be counted does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:1] != ["Z"]
    return True


# --------------------------------------------------------------------------------------------------------------------
# The chat template of models whose own one does not say tool calls as they write them.
# --------------------------------------------------------------------------------------------------------------------


def template_for(name: str) -> str | None:
    """The template for a model, by the name under which it is served; None takes the file's own.

    Qwen2.5-Coder writes its calls as blocks of JSON, and its own template asks for another form.
    """
    if "qwen2.5-coder" not in name.lower():
        return None
    return resources.files("loopwright.models.local").joinpath("qwen2.5-coder.jinja").read_text(encoding="utf-8")


# --------------------------------------------------------------------------------------------------------------------
# Files of weights that are known by name: where their publisher has them, how large they are, and their digest.
# --------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Weights:
    """One file; `size` is in bytes."""

    name: str
    repository: str
    file: str
    size: int
    sha256: str
    licence: str

    @property
    def url(self) -> str:
        """The publisher's address of the file."""
        return f"https://huggingface.co/{self.repository}/resolve/main/{self.file}"


KNOWN: Final = {
    weights.name: weights
    for weights in (
        Weights(
            "qwen2.5-coder-1.5b",
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            1_117_320_768,
            "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            "Apache-2.0",
        ),
    )
}
"""Only files that were tried with the agents; any other is given as a path."""

"""Records of endpoints: what they serve, what was proved of it, how fast it is."""

import logging
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.kernel.files import exclusive_lock, write_whole
from loopwright.kernel.ports import Profile

Kind = Literal["llama.cpp", "ollama", "lm-studio", "vllm", "openrouter", "other"]
LOCAL_KINDS: Final = frozenset({"llama.cpp", "ollama", "lm-studio", "vllm"})
"""Servers that compute on the machine where they stand; a gateway to a paid service is none of them."""

SMALL_PARAMETERS: Final = 15_000_000_000
"""Models with fewer parameters get short prompts and few tools."""
SMALL_WINDOW: Final = 16_384
"""So do models with a smaller window, in tokens."""
BYTES_PER_PARAMETER: Final = 0.6
"""Of weights in four bits, the common form of files; coarser than the count itself, and used only without it."""
_SIZE: Final = re.compile(r"(?<![a-z0-9.])(\d{1,4}(?:\.\d{1,3})?)\s?([bm])(?![a-z0-9])", re.IGNORECASE)


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TokenPrice(_Record):
    """USD per token, as the endpoint tells it."""

    prompt: float = Field(ge=0, le=1)
    completion: float = Field(ge=0, le=1)


class ServedModel(_Record):
    """A model that an endpoint serves. None is what the endpoint does not tell.

    `context_tokens` is the window as allocated, for prompt and answer together; `window_assumed` marks one that the
    endpoint did not tell but that its kind allocates by default. `tools` is whether the model is said to know the
    wire's tool calls. `chat` is false for models that only embed.
    """

    name: str
    context_tokens: int | None = None
    window_assumed: bool = False
    trained_tokens: int | None = None
    parameters: int | None = None
    file_bytes: int | None = None
    vision: bool | None = None
    tools: bool | None = None
    json_schema: bool | None = None
    tool_choice_required: bool | None = None
    loaded: bool | None = None
    chat: bool = True
    price: TokenPrice | None = None

    @property
    def size(self) -> int | None:
        """Its parameters: as told, by its name, or by the size of its weights; None where nothing tells."""
        if self.parameters is not None:
            return self.parameters
        named = parameters_in(self.name)
        if named is None and self.file_bytes is not None:
            return int(self.file_bytes / BYTES_PER_PARAMETER)
        return named

    @property
    def profile(self) -> Profile | None:
        """Small or frontier, or None where neither its size nor its window tells."""
        size, window = self.size, self.context_tokens
        if (size is not None and size < SMALL_PARAMETERS) or (window is not None and window < SMALL_WINDOW):
            return "small"
        return None if size is None else "frontier"


class Endpoint(_Record):
    """What an endpoint said of itself at a moment.

    `more` counts the models of a long list that were not looked at; `unlisted` says why there is no list of models.
    """

    base_url: str
    kind: Kind
    models: tuple[ServedModel, ...] = ()
    more: int = 0
    unlisted: str = ""
    asked_at: datetime

    @property
    def chat_models(self) -> tuple[ServedModel, ...]:
        """The models that answer."""
        return tuple(model for model in self.models if model.chat)

    def model(self, name: str) -> ServedModel | None:
        """The model of this name."""
        return next((model for model in self.models if model.name == name), None)

    @property
    def only_model(self) -> ServedModel | None:
        """The one model that answers, or the one of several that is in memory; None where there is a choice."""
        for found in (self.chat_models, [model for model in self.chat_models if model.loaded]):
            if len(found) == 1:
                return found[0]
        return None


class Proof(_Record):
    """What tiny calls have shown of one model at one endpoint."""

    at: datetime
    tools: Literal["native", "schema"] | None
    """The form of tool calls that works; None where neither does."""
    native_tools: bool
    json_schema: bool
    tool_choice_required: bool
    tells_length: bool
    """Whether an answer that was cut says so."""
    transcript: bool
    """Whether a dialogue with a tool's result is taken."""
    vision: bool | None = None


class Speed(_Record):
    """Tokens per second, as seen lately."""

    prompt: float = Field(gt=0)
    answer: float = Field(gt=0)
    at: datetime


def parameters_in(name: str) -> int | None:
    """The count of parameters that a model's name tells (`qwen2.5-coder:1.5b`), the largest of several."""
    sizes = [float(number) * (1e9 if unit in "bB" else 1e6) for number, unit in _SIZE.findall(name[-300:])]
    return int(max(sizes)) if sizes and max(sizes) > 0 else None


# What was found out about endpoints, kept in one file of the user's: it is older or newer knowledge, never needed.

MOST_ENDPOINTS: Final = 32
MOST_MODELS: Final = 200
"""Models of one endpoint of which a proof or a speed is kept."""
FILE_BYTES: Final = 16 * 1024 * 1024

logger = logging.getLogger("loopwright.models")

DatedT = TypeVar("DatedT", Proof, Speed)


class Remembered(BaseModel):
    """All that is kept of one endpoint; proofs and speeds by the model's name."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    endpoint: Endpoint | None = None
    proofs: Mapping[str, Proof] = Field(default_factory=dict)
    speeds: Mapping[str, Speed] = Field(default_factory=dict)


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")

    version: int = 1
    endpoints: dict[str, Remembered] = Field(default_factory=dict)


class EndpointMemory:
    """The file, by address; several processes may read and write it at once."""

    def __init__(self, path: Path) -> None:
        """Read nothing yet; the folder must exist when something is noted."""
        self._path = path

    def recall(self, address: str) -> Remembered:
        """What is kept of the endpoint at `asking.shown_address`; nothing is as good as an empty record."""
        return self._read().endpoints.get(address, Remembered())

    def note(
        self,
        address: str,
        *,
        endpoint: Endpoint | None = None,
        proofs: Mapping[str, Proof] | None = None,
        speeds: Mapping[str, Speed] | None = None,
    ) -> None:
        """Keep this, beside what is known already; the endpoint noted longest ago is dropped."""
        with self._locked():
            file = self._read()
            old = file.endpoints.pop(address, Remembered())
            file.endpoints[address] = Remembered(
                endpoint=endpoint or old.endpoint,
                proofs=_newest({**old.proofs, **(proofs or {})}),
                speeds=_newest({**old.speeds, **(speeds or {})}),
            )
            for oldest in list(file.endpoints)[:-MOST_ENDPOINTS]:
                del file.endpoints[oldest]
            write_whole(self._path, file.model_dump_json(exclude_defaults=True).encode())

    def forget(self, address: str) -> None:
        """Drop all that is kept of an endpoint."""
        with self._locked():
            file = self._read()
            if file.endpoints.pop(address, None) is not None:
                write_whole(self._path, file.model_dump_json(exclude_defaults=True).encode())

    def _read(self) -> _File:
        try:
            if self._path.stat().st_size > FILE_BYTES:
                raise ValueError(f"it is larger than {FILE_BYTES} bytes")
            return _File.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return _File()
        except (OSError, ValidationError, ValueError) as error:
            logger.warning("%s cannot be read, endpoints are asked anew: %s", self._path, str(error).split("\n")[0])
            return _File()

    def _locked(self) -> AbstractContextManager[None]:
        return exclusive_lock(self._path.with_name(f".{self._path.name}.lock"))


def _newest(records: Mapping[str, DatedT]) -> dict[str, DatedT]:
    ordered = sorted(records.items(), key=lambda item: item[1].at)
    return dict(ordered[-MOST_MODELS:])

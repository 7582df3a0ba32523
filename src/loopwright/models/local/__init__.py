"""The background process: what it and those who ask it tell each other, and how it is started and stopped."""

import asyncio
import fcntl
import json
import os
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.kernel.errors import Misconfigured, ModelUnavailable
from loopwright.kernel.files import write_whole
from loopwright.kernel.programs import program_environment
from loopwright.models.retry import AttemptFailed, ConnectionDropped
from loopwright.models.transport import ReadingTransport, Reply

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


# The chat template of models whose own one does not say tool calls as they write them.


def template_for(name: str) -> str | None:
    """The template for a model, by the name under which it is served; None takes the file's own.

    Qwen2.5-Coder writes its calls as blocks of JSON, and its own template asks for another form.
    """
    if "qwen2.5-coder" not in name.lower():
        return None
    return resources.files("loopwright.models.local").joinpath("qwen2.5-coder.jinja").read_text(encoding="utf-8")


# Files of weights that are known by name: where their publisher has them, how large they are, and their digest.


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


# Starts and stops the background process; whoever asks it first starts it, and the others wait.

START_SECONDS: Final = 180.0
"""How long a model may take to be read into memory."""
LOOK_SECONDS: Final = 0.1
MAGIC: Final = b"GGUF"
HOST: Final = "loopwright.models.local.host"
QUIET_THREADS: Final = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
"""Without these, threads that wait use up the machine, and everything on it is slow."""


class LocalModel:
    """The process of one folder. `program` is what is started, for tests that have no llama.cpp."""

    def __init__(self, folder: Path, program: tuple[str, ...] = ("-m", HOST)) -> None:
        """Start nothing yet; the folder must exist and be the user's alone."""
        self.folder = folder
        self._program = program

    @property
    def config(self) -> LocalConfig | None:
        """What is run, if that was said."""
        return read_config(self.folder)

    @property
    def running(self) -> LocalState | None:
        """The process that answers now."""
        state = read_state(self.folder)
        return state if state is not None and is_alive(state.pid) else None

    def configure(self, config: LocalConfig) -> None:
        """Say what is run from now on; a process with another model ends.

        Raises:
            Misconfigured: the file is no GGUF file.
        """
        try:
            with config.file.open("rb") as stream:
                known = stream.read(len(MAGIC)) == MAGIC
        except OSError as error:
            raise Misconfigured(f"{config.file} cannot be read: {error.strerror}.") from error
        if not known:
            raise Misconfigured(f"{config.file} is no GGUF file.")
        write_config(self.folder, config)
        state = read_state(self.folder)
        if state is not None and state.config != config:
            drop_state(self.folder, state.token)

    async def ensure(self, told: Callable[[str], None] = lambda text: None) -> LocalState:
        """The process, started if need be.

        Raises:
            Misconfigured: nobody said what is run.
            ModelUnavailable: it does not start.
        """
        config = self.config
        if config is None:
            raise Misconfigured(
                "No local model is set up.", hint="Set one up: loopwright models local FILE.gguf, or a name it knows."
            )
        if (state := self.running) is not None and state.config == config:
            return state
        async with self._alone():
            if (state := self.running) is not None and state.config == config:  # another has started it meanwhile
                return state
            told(f"Reading {config.name} into memory")
            return await self._start(config)

    def stop(self) -> bool:
        """End the process; whether there was one."""
        state = self.running
        if state is not None:
            drop_state(self.folder, state.token)
        return state is not None

    async def stopped(self, state: LocalState, seconds: float = 10.0) -> None:
        """Return when a process is gone, or after so many seconds."""
        for _ in range(int(seconds / LOOK_SECONDS)):
            if not is_alive(state.pid):
                return
            await asyncio.sleep(LOOK_SECONDS)

    async def _start(self, config: LocalConfig) -> LocalState:
        old = read_state(self.folder)
        if old is not None:
            drop_state(self.folder, old.token)
        order = Order(token=secrets.token_hex(8), key=secrets.token_urlsafe(24), config=config)
        pid = await asyncio.to_thread(self._launch, order)
        for _ in range(int(START_SECONDS / LOOK_SECONDS)):
            state = read_state(self.folder)
            if state is not None and state.token == order.token:
                return state
            failure = read_failure(self.folder, order.token)
            if failure is not None or not is_alive(pid):
                raise ModelUnavailable(
                    f"The local model could not be started: {failure or 'the process ended'}",
                    hint=f"See {self.folder / LOG}. It needs the extra `local` and enough memory for the file.",
                )
            await asyncio.sleep(LOOK_SECONDS)
        raise ModelUnavailable(f"The local model was not in memory within {START_SECONDS:g} s.")

    def _launch(self, order: Order) -> int:
        """Start the process, which detaches itself, and give its number."""
        with (self.folder / LOG).open("wb") as log:
            done = subprocess.run(
                [sys.executable, "-P", *self._program, str(self.folder)],
                input=order.model_dump_json().encode(),
                stdout=subprocess.PIPE,
                stderr=log,
                env=program_environment(None) | QUIET_THREADS,
                cwd=self.folder,
                timeout=60,
                check=False,
            )
        if done.returncode != 0 or not done.stdout.strip().isdigit():
            last = (self.folder / LOG).read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
            raise ModelUnavailable(f"The local model could not be started: {last[:300]}")
        return int(done.stdout)

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        with (self.folder / LOCK).open("w") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    await asyncio.sleep(LOOK_SECONDS)
            yield


# The way to the background process: whatever host an address names, and started first if need be.


class LocalTransport:
    """Sends to the background process, whose port and key its state tells."""

    def __init__(self, model: LocalModel, transport: ReadingTransport) -> None:
        """Open nothing yet; `transport` goes to the loopback address."""
        self._model = model
        self._transport = transport

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        """See `Transport.post`.

        Raises:
            AttemptFailed: as there; the process is started anew by the next attempt.
            Misconfigured: nobody said what is run.
            ModelUnavailable: it does not start.
        """
        return await self._send(url, headers, lambda to, known: self._transport.post(to, body, known))

    async def get(self, url: str, headers: Mapping[str, str]) -> Reply:
        """See `ReadingTransport.get`; raises as `post`."""
        return await self._send(url, headers, self._transport.get)

    async def aclose(self) -> None:
        """Close the connections; the process goes on, for whoever asks next."""
        await self._transport.aclose()

    async def _send(
        self, url: str, headers: Mapping[str, str], send: Callable[[str, Mapping[str, str]], Awaitable[Reply]]
    ) -> Reply:
        state = await self._model.ensure()
        there = urlsplit(url)._replace(netloc=f"127.0.0.1:{state.port}").geturl()
        try:
            return await send(there, {**headers, "Authorization": f"Bearer {state.key}"})
        except ConnectionDropped:
            raise  # it may have closed an idle connection, as servers do
        except AttemptFailed:
            drop_state(self._model.folder, state.token)  # nobody takes connections there any more
            raise

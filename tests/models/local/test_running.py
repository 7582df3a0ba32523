"""One background process for all: started when asked, ended when idle or told, let in by its key alone."""

import asyncio
import os
import signal
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loopwright.kernel.errors import Misconfigured, ModelUnavailable
from loopwright.kernel.files import make_private_folder
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.models.client import OpenAIClient
from loopwright.models.local import STATE, LocalConfig, LocalModel, LocalState, LocalTransport, is_alive
from loopwright.models.settings import ModelSettings
from loopwright.models.transport.http import HttpTransport

FAKE = str(Path(__file__).parents[2] / "support" / "fake_llama.py")


def config(folder: Path, name: str = "tiny", **more: float) -> LocalConfig:
    file = folder / f"{name}.gguf"
    file.write_bytes(b"GGUF....")
    return LocalConfig(file=file, name=name, **{"idle_seconds": 60.0, **more})


@pytest.fixture
async def model(tmp_path: Path) -> AsyncIterator[LocalModel]:
    folder = tmp_path / "local"
    make_private_folder(folder)
    made = LocalModel(folder, program=(FAKE,))
    yield made
    state = made.running
    made.stop()
    if state is not None:
        await made.stopped(state)
        assert not is_alive(state.pid)


async def gone(state: LocalState, seconds: float = 10.0) -> bool:
    for _ in range(int(seconds / 0.05)):
        if not is_alive(state.pid):
            return True
        await asyncio.sleep(0.05)
    return False


async def test_whoever_asks_first_starts_it_and_the_others_find_it(model, tmp_path):
    model.configure(config(tmp_path))
    states = await asyncio.gather(*(LocalModel(model.folder, program=(FAKE,)).ensure() for _ in range(4)))
    assert len({state.pid for state in states}) == 1
    assert is_alive(states[0].pid)
    assert os.getsid(states[0].pid) != os.getsid(0), "it outlives the terminal that it was started from"
    assert stat.S_IMODE(model.folder.stat().st_mode) == 0o700
    command = await asyncio.to_thread(Path(f"/proc/{states[0].pid}/cmdline").read_text)
    assert states[0].key not in command


async def test_only_the_key_lets_in(model, tmp_path):
    model.configure(config(tmp_path))
    state = await model.ensure()
    transport = HttpTransport()
    reply = await transport.get(f"http://127.0.0.1:{state.port}/v1/models", {})
    await reply.close()
    assert reply.status == 401
    asker = OpenAIClient(ModelSettings(base_url="http://localhost/v1"), LocalTransport(model, transport))
    assert (await asker.complete(ModelRequest([Message.user("Hi")]))).text == "Hello."
    await asker.aclose()


async def test_it_ends_when_nobody_asks_and_is_started_anew(model, tmp_path):
    model.configure(config(tmp_path, idle_seconds=0.5))
    first = await model.ensure()
    assert await gone(first)
    assert model.running is None
    second = await model.ensure()
    assert second.pid != first.pid


async def test_it_does_not_end_while_it_works(model, tmp_path):
    model.configure(config(tmp_path, "busy", idle_seconds=0.3))
    state = await model.ensure()
    assert not await gone(state, 1.5)


async def test_it_ends_when_it_is_told_to(model, tmp_path):
    model.configure(config(tmp_path))
    state = await model.ensure()
    assert model.stop()
    assert await gone(state)
    assert not model.stop()


async def test_another_model_takes_its_place(model, tmp_path):
    model.configure(config(tmp_path, "one"))
    first = await model.ensure()
    model.configure(config(tmp_path, "two"))
    second = await model.ensure()
    assert (second.config.name, second.pid == first.pid) == ("two", False)
    assert await gone(first)


async def test_one_that_died_is_started_anew_by_the_next_attempt(model, tmp_path):
    model.configure(config(tmp_path))
    first = await model.ensure()
    os.kill(first.pid, signal.SIGKILL)
    asker = OpenAIClient(ModelSettings(base_url="http://localhost/v1"), LocalTransport(model, HttpTransport()))
    assert (await asker.complete(ModelRequest([Message.user("Hi")]))).text == "Hello."
    await asker.aclose()
    assert model.running is not None
    assert model.running.pid != first.pid


async def test_a_number_that_another_process_has_now_is_found_out(model, tmp_path):
    """The process is long gone, and its number and port are somebody else's: the second attempt has a new one."""
    model.configure(config(tmp_path))
    first = await model.ensure()
    os.kill(first.pid, signal.SIGKILL)
    stale = first.model_copy(update={"pid": os.getpid()})
    (model.folder / STATE).write_text(stale.model_dump_json())
    asker = OpenAIClient(ModelSettings(base_url="http://localhost/v1"), LocalTransport(model, HttpTransport()))
    assert (await asker.complete(ModelRequest([Message.user("Hi")]))).text == "Hello."
    await asker.aclose()


async def test_what_cannot_be_run_is_said(model, tmp_path):
    with pytest.raises(Misconfigured, match="No local model"):
        await model.ensure()
    model.configure(config(tmp_path, "broken"))
    with pytest.raises(ModelUnavailable, match="failed to load the model"):
        await model.ensure()
    text = tmp_path / "text.gguf"
    text.write_text("hello")
    with pytest.raises(Misconfigured, match="no GGUF file"):
        model.configure(LocalConfig(file=text, name="text"))
    with pytest.raises(Misconfigured, match="cannot be read"):
        model.configure(LocalConfig(file=tmp_path / "none.gguf", name="none"))


async def test_broken_files_are_as_good_as_none(model, tmp_path):
    model.configure(config(tmp_path))
    (model.folder / STATE).write_text('{"pid": -1}')
    assert model.running is None
    assert (await model.ensure()).pid > 0

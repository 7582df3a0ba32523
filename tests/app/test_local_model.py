"""Setting a model of the user's own up: a file, or a name whose file is downloaded once."""

import asyncio
import hashlib
from pathlib import Path

import pytest

from loopwright.app import models
from loopwright.app.model_listing import choose, configured
from loopwright.app.models import open_model, set_up
from loopwright.app.settings import Settings
from loopwright.kernel.errors import InvalidInput, Misconfigured
from loopwright.kernel.files import make_private_folder
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelRequest
from loopwright.kernel.web.fetching import Expected
from loopwright.models.local import KNOWN, LocalModel, Weights
from tests.models.local.test_running import FAKE

HOW = {"context_tokens": 8_192, "idle_seconds": 60.0, "told": lambda text: None}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which the fake process is started, as if the extra were there."""
    monkeypatch.setattr(models, "find_spec", lambda name: True)
    monkeypatch.setattr(models, "LocalModel", lambda folder: LocalModel(folder, program=(FAKE,)))
    folder = tmp_path / "home"
    make_private_folder(folder)
    return folder


async def ended(home: Path) -> None:
    model = models.local_model(home)
    state = model.running
    assert model.stop()
    assert state is not None
    await model.stopped(state)


async def test_a_file_is_run_and_answers_every_agent(home, tmp_path):
    (tmp_path / "own-3b.gguf").write_bytes(b"GGUF")
    await set_up(home, str(tmp_path / "own-3b.gguf"), **HOW)
    settings = Settings(home=home)
    chosen = await choose(settings, "local", None)
    assert "own-3b" in chosen.text
    shown = await configured(settings)
    assert shown is not None
    (row,) = shown.rows
    assert (shown.address, shown.source, row.model) == ("local", "chosen", "own-3b")
    assert (row.profile, row.price, row.window) == ("small", "free", 8_192)
    async with open_model(Settings(home=home, openai_base_url="local")) as client:
        assert (await client.complete(ModelRequest([Message.user("Hi")]))).text == "Hello."
    await ended(home)
    resting = await configured(settings)
    assert resting is not None
    assert "rests" in resting.problem
    assert models.local_model(home).running is None, "showing it does not start it"


async def test_a_known_name_is_downloaded_once(home, monkeypatch):
    data = b"GGUF" + b"x" * 1_000
    known = Weights(
        "small-one", "maker/repository", "small-one.gguf", len(data), hashlib.sha256(data).hexdigest(), "MIT"
    )
    monkeypatch.setitem(KNOWN, "small-one", known)
    asked: list[Expected] = []

    async def download(expected, file, allowed, progress):
        asked.append(expected)
        await asyncio.to_thread(file.write_bytes, data)
        progress(len(data))

    monkeypatch.setattr("loopwright.kernel.web.fetching.download", download)
    for _ in range(2):
        state = await set_up(home, "small-one", **HOW)
    assert [each.url for each in asked] == ["https://huggingface.co/maker/repository/resolve/main/small-one.gguf"]
    assert state.config.file == home.resolve() / "models" / "small-one.gguf"
    await ended(home)


async def test_what_cannot_be_set_up_is_said(home, tmp_path, monkeypatch):
    with pytest.raises(InvalidInput, match="no name that is known"):
        await set_up(home, "gpt-17", **HOW)
    with pytest.raises(InvalidInput, match="No local model is set up"):
        await choose(Settings(home=home), "local", None)
    monkeypatch.setattr(models, "find_spec", lambda name: None)
    with pytest.raises(Misconfigured, match="extra `local`"):
        await set_up(home, "qwen2.5-coder-1.5b", **HOW)


def test_the_names_are_of_whole_digests_and_free_licences():
    for name, weights in KNOWN.items():
        assert weights.name == name
        assert len(bytes.fromhex(weights.sha256)) == 32
        assert weights.licence in ("Apache-2.0", "MIT")
        assert weights.url.startswith("https://")

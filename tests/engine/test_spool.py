"""Drafts that another process reads: written now and then, begun anew, gone at the end."""

import asyncio
import os
from pathlib import Path

import pytest

from loopwright.engine.drafts import STALE_AFTER, Drafts, Spool, SpooledDraft


class Clock:
    """A clock that a test puts forward."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Pair:
    """A process that writes, and one that reads the same folder."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.folder = folder
        self.writer = Drafts(Spool(folder, self.clock))
        self.reader = Drafts(Spool(folder))

    def say(self, text: str, call: str = "call", *, after: float = 1.0) -> None:
        self.clock.now += after
        self.writer.take("run", "writing", {"call_id": call, "text": text})

    def end(self, call: str = "call") -> None:
        self.writer.take("run", "written", {"call_id": call})

    def found(self, call: str = "call") -> SpooledDraft:
        draft = self.reader.find("run", call)
        assert isinstance(draft, SpooledDraft)
        return draft


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path / "drafts")


async def whole(draft: SpooledDraft) -> str:
    return "".join([piece async for piece in draft.read()])


async def test_another_process_reads_what_is_written_and_what_follows(pair: Pair) -> None:
    assert not pair.reader.has_any("run")
    pair.say("<html>")
    pair.say("<p>é 界")
    assert pair.reader.has_any("run")
    assert not pair.reader.has_any("other")
    reading = asyncio.create_task(whole(pair.found()))
    await asyncio.sleep(0.05)
    pair.say("</p>", after=0.01)  # not on disk before the end
    pair.say("</html>")
    pair.end()
    assert await reading == "<html><p>é 界</p></html>"
    assert pair.reader.find("run", "call") is None
    assert list(pair.folder.iterdir()) == []


async def test_an_answer_that_begins_anew_ends_the_reading(pair: Pair) -> None:
    pair.say("one")
    pair.say("two")
    reading = asyncio.create_task(whole(pair.found()))
    await asyncio.sleep(0.05)
    pair.say("")
    pair.say("three")
    pair.say("four")
    assert await reading == "onetwo"
    reading = asyncio.create_task(whole(pair.found()))
    await asyncio.sleep(0.05)
    pair.end()
    assert await reading == "threefour"


def test_a_short_answer_never_becomes_a_file(pair: Pair) -> None:
    pair.say("quick")
    pair.say(" and done", after=0.1)
    assert pair.reader.find("run", "call") is None
    assert not pair.folder.exists()
    pair.end()


def test_what_a_killed_process_left_goes_with_the_next_writing(pair: Pair) -> None:
    pair.say("half")
    pair.say(" a page")
    survivor = Pair(pair.folder)
    survivor.say("again, in no time")
    survivor.end()
    assert list(pair.folder.iterdir()) == []


def test_what_nobody_writes_any_more_is_swept_away(pair: Pair) -> None:
    pair.say("left")
    pair.say(" over", call="call")
    pair.say("still", call="other")
    pair.say(" written", call="other")
    old = min(pair.folder.iterdir(), key=lambda path: path.read_text() != "left over")
    os.utime(old, (0, old.stat().st_mtime - STALE_AFTER - 60))
    Spool(pair.folder).sweep()
    assert [path.read_text() for path in pair.folder.iterdir()] == ["still written"]
    Spool(pair.folder / "none").sweep()


def test_names_of_calls_do_not_lead_out_of_the_folder(pair: Pair) -> None:
    pair.say("x", call="../../evil")
    pair.say("y", call="../../evil")
    assert [path.parent for path in pair.folder.parent.rglob("*.draft")] == [pair.folder]


def test_a_folder_that_cannot_be_written_does_not_stop_the_run(pair: Pair, caplog: pytest.LogCaptureFixture) -> None:
    pair.folder.parent.mkdir(parents=True, exist_ok=True)
    pair.folder.write_text("in the way")
    for _ in range(3):
        pair.say("x")
    pair.end()
    assert {record.levelname for record in caplog.records} == {"WARNING"}
    assert len(caplog.records) == 2

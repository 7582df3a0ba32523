"""Each check holds of a real job's result, and is false on results that were changed so that it is not so."""

import csv
import hashlib
import io
import json
import re
import sqlite3
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from loopwright.agents.jobs.account import CHECKS
from loopwright.agents.jobs.services import jobs_stores
from loopwright.kernel.account import Measured, NothingThereYet
from tests.support.reading_job import STANDARD, demands, read

NAMED = {check.name: check for check in CHECKS}
DOCUMENT = "documents/lamps.txt"
ALL = {"documents": [DOCUMENT], "scope": "all"}
SOUGHT = {**ALL, "sought": "requirements"}
SECTION = {"documents": [DOCUMENT], "sections": ["2.1"]}
Change = Callable[[Path], None]


class Result:
    """A job's result: its folder and stores, as checks get them."""

    def __init__(self, services: Any, played: Any) -> None:
        self.folder: Path = played.workspace
        self.services = services
        self.job_id: str = played.job_id
        state = SimpleNamespace(session_id=played.job_id, options={"documents": [DOCUMENT]})
        self.run: Any = SimpleNamespace(output_dir=self.folder, services=services, state=state)

    async def keep_reading_rows(self) -> None:
        """Let output/reading.csv that lies in the folder be what the controller wrote."""
        state = json.loads(await self.services.jobs.load(self.job_id) or "")
        path = self.folder / "output" / "reading.csv"
        state["written"]["output/reading.csv"] = hashlib.sha256(path.read_bytes()).hexdigest()
        await self.services.jobs.save(self.job_id, json.dumps(state), f"test:{uuid4()}")

    async def measure(self, name: str, /, **arguments: Any) -> Measured:
        check = NAMED[name]
        return await check.measure(self.run, check.arguments.model_validate(arguments))


@pytest.fixture
async def result(tmp_path: Path) -> AsyncIterator[Result]:
    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to", "must")) as (application, played):
        yield Result(await jobs_stores(application), played)


@pytest.fixture
async def of_one_section(tmp_path: Path) -> AsyncIterator[Result]:
    prompt = "Only section 2.1."
    async with read(tmp_path, {"lamps.txt": STANDARD}, demands("has to"), prompt=prompt) as (application, played):
        yield Result(await jobs_stores(application), played)


HOLDING: list[tuple[str, dict[str, Any]]] = [
    ("every_sentence_settled", ALL),
    ("every_sentence_settled", SOUGHT),
    ("read", SECTION),
    ("read", {"documents": [DOCUMENT], "pages": [1]}),
    ("written", {"format": "csv"}),
    ("written", {"format": "json", "name": "requirements.json"}),
    ("written", {"format": "markdown"}),
    ("found", {"quote": "MUST switch the lamp on"}),
    ("count", {"relation": "==", "requirements": 5}),
    ("count", {"relation": ">=", "requirements": 5}),
]


@pytest.mark.parametrize(("name", "arguments"), HOLDING)
async def test_a_check_holds_of_what_was_done(result: Result, name: str, arguments: dict[str, Any]) -> None:
    measured = await result.measure(name, **arguments)
    assert measured.holds, measured
    assert measured.value
    assert measured.where


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"documents": [DOCUMENT], "sections": ["7"]}),
        ("read", {"documents": [DOCUMENT], "pages": [4]}),
        ("read", {"documents": [DOCUMENT], "from_page": 1, "to_page": 3}),
        ("only", SECTION),
        ("written", {"format": "csv", "name": "other.csv"}),
        ("found", {"quote": "MUST switch the lamp off"}),
        ("found", {"quote": "Lamps are devices that give light"}),
        ("count", {"relation": ">", "requirements": 5}),
        ("count", {"relation": "<=", "requirements": 4}),
        ("only_kind", {"field": "type", "value": "compliance"}),
    ],
)
async def test_a_check_is_false_of_what_was_not_done(result: Result, name: str, arguments: dict[str, Any]) -> None:
    measured = await result.measure(name, **arguments)
    assert not measured.holds, measured


async def test_only_one_section_was_asked_for(of_one_section: Result) -> None:
    assert (await of_one_section.measure("only", **SECTION)).holds
    assert (await of_one_section.measure("read", **SECTION)).holds
    whole = await of_one_section.measure("every_sentence_settled", **ALL)
    assert not whole.holds, "what lies outside the order was not read"


def rows_with(change: Callable[[list[dict[str, str]]], list[dict[str, str]]]) -> Change:
    def changed(folder: Path) -> None:
        path = folder / "output" / "reading.csv"
        rows = change(list(csv.DictReader(path.read_text(encoding="utf-8").splitlines())))
        table = io.StringIO()
        writer = csv.DictWriter(table, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        path.write_text(table.getvalue(), encoding="utf-8")

    return changed


def file_with(path: str, change: Callable[[str], str]) -> Change:
    def changed(folder: Path) -> None:
        file = folder / path
        file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")

    return changed


def passed(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{**row, "outcome": "no requirement", "requirement_id": ""} for row in rows]


def doubted(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    last = next(row for row in reversed(rows) if row["outcome"] == "no requirement")
    return [{**row, "remark": "the rules read a demand here"} if row is last else row for row in rows]


def unread(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{**row, "outcome": "not read"} if "operator" in row["text"] else row for row in rows]


FALSIFIED: list[tuple[str, dict[str, Any], Change]] = [
    ("every_sentence_settled", ALL, rows_with(unread)),
    ("every_sentence_settled", ALL, rows_with(lambda rows: rows[:4] + rows[5:])),
    ("every_sentence_settled", ALL, file_with(DOCUMENT, lambda text: text + "\nA line that nobody has read.\n")),
    (
        "every_sentence_settled",
        ALL,
        rows_with(lambda rows: [{**row, "requirement_id": "0" * 32} for row in rows]),
    ),
    ("every_sentence_settled", SOUGHT, rows_with(passed)),
    ("every_sentence_settled", SOUGHT, rows_with(doubted)),
    ("read", SECTION, rows_with(unread)),
    ("read", SECTION, rows_with(lambda rows: [row for row in rows if "twice" not in row["text"]])),
    ("written", {"format": "csv"}, file_with("output/requirements.csv", lambda t: "\n".join(t.splitlines()[:-1]))),
    ("written", {"format": "json"}, file_with("output/requirements.json", lambda t: json.dumps(json.loads(t)[1:]))),
    (
        "written",
        {"format": "csv"},
        file_with("output/requirements.csv", lambda t: re.sub(r"(?m)^(\w{20,}),.*$", r"\1,", t)),
    ),
    ("written", {"format": "json"}, file_with("output/requirements.json", lambda t: t.replace("lamp", "door"))),
    ("written", {"format": "markdown"}, file_with("output/requirements.md", lambda t: t[: t.rstrip().rfind("\n")])),
    ("found", {"quote": "MUST switch the lamp on"}, file_with(DOCUMENT, lambda t: t.replace("lamp on", "lamp off"))),
]


@pytest.mark.parametrize(("name", "arguments", "change"), FALSIFIED)
async def test_a_check_is_false_once_its_object_was_changed(
    result: Result, name: str, arguments: dict[str, Any], change: Change
) -> None:
    assert (await result.measure(name, **arguments)).holds
    change(result.folder)
    await result.keep_reading_rows()
    assert not (await result.measure(name, **arguments)).holds


@pytest.mark.parametrize(
    ("name", "arguments", "path"),
    [
        ("every_sentence_settled", ALL, "output/reading.csv"),
        ("read", SECTION, "output/reading.csv"),
        ("written", {"format": "json"}, "output/requirements.json"),
    ],
)
async def test_a_check_raises_where_there_is_nothing_to_read(
    result: Result, name: str, arguments: dict[str, Any], path: str
) -> None:
    (result.folder / path).unlink()
    with pytest.raises(NothingThereYet, match="not there"):
        await result.measure(name, **arguments)


async def test_a_reading_rows_that_the_controller_has_not_written_proves_nothing(result: Result) -> None:
    """One row with the whole document in it would hold of everything."""
    whole = " ".join(STANDARD.split())
    rows_with(lambda rows: [{**rows[0], "text": whole, "outcome": "no requirement"}])(result.folder)
    for name, arguments in (("every_sentence_settled", ALL), ("read", {"documents": [DOCUMENT]}), ("only", SECTION)):
        with pytest.raises(NothingThereYet, match="not what was written"):
            await result.measure(name, **arguments)


async def test_copies_and_what_has_no_quote_make_no_number(result: Result) -> None:
    """Ten copies of a requirement, and ten without a citation, do not make twenty more."""
    (first, *_) = await result.services.requirements.find(job_id=result.job_id)
    copies = [{"text": first.text, "citations": first.citations, "source_document": DOCUMENT} for _ in range(10)]
    others = [{"text": f"Lamp {number} shines.", "source_document": DOCUMENT} for number in range(10)]
    await result.services.requirements.add(result.job_id, [*copies, *others], phase=1, key="copies")
    assert not (await result.measure("count", relation=">=", requirements=6)).holds
    assert not (await result.measure("count", relation="==", requirements=25)).holds
    assert not (await result.measure("count", relation="<=", requirements=24)).holds
    counted = await result.measure("count", relation=">=", requirements=5)
    assert counted.holds
    assert "25 requirements are stored, 5 of them" in counted.value


async def test_a_requirement_that_is_gone_from_the_store_is_missed(result: Result, tmp_path: Path) -> None:
    database = next((tmp_path / "home").rglob("*.db"))
    with sqlite3.connect(database) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    if "requirements" not in names:
        pytest.skip("the store is not in this file")
    with sqlite3.connect(database) as connection:
        connection.execute("DELETE FROM requirements WHERE text LIKE '%lamp on%'")
    assert not (await result.measure("written", format="csv")).holds
    assert not (await result.measure("count", relation=">=", requirements=5)).holds
    assert not (await result.measure("found", quote="MUST switch the lamp on")).holds


def test_every_check_has_a_result_in_which_it_is_false() -> None:
    """A check that nothing can falsify proves nothing."""
    held = {"every_sentence_settled", "read", "written", "found", "count", "only", "only_kind"}
    assert set(NAMED) == held

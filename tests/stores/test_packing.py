"""Payloads on disk: shorter than their JSON, and the same again."""

import hashlib
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select

from loopwright.kernel.events import ModelResponse
from loopwright.stores.database import Database
from loopwright.stores.journal import SqlJournal
from loopwright.stores.runs import SqlRuns
from loopwright.stores.tables import events, pack, unpack
from tests.stores.play import answer, running


@given(st.text(), st.integers(0, 400))
def test_what_was_packed_is_the_same_again(text: str, repeated: int) -> None:
    payload = ModelResponse.model_construct(text=text * repeated, tool_calls=[]).model_dump_json().encode()
    assert unpack(pack(payload)) == payload
    assert len(pack(payload)) <= len(payload)


def test_a_short_answer_takes_less_than_half() -> None:
    payload = ModelResponse(text="The shop is open until six.", stage="work", model="gpt-4.1").model_dump_json()
    assert len(pack(payload.encode())) < len(payload) / 2


def test_what_a_later_version_has_packed_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot read"):
        unpack(b"\x02abc")


def test_the_dictionary_never_changes() -> None:
    """Every journal was packed with it; a better one is a second file with a number of its own."""
    found = resources.files("loopwright.stores").joinpath("journal_dictionary_1.txt").read_bytes()
    assert hashlib.sha256(found).hexdigest() == "4566aca79db61943350f89d6c73033cd065b964a257b7fdbb24ff494fa288d46"


async def test_the_journal_is_packed_in_the_database(database: Database, runs: SqlRuns, journal: SqlJournal) -> None:
    claim, seq = await running(runs, journal)
    said = "The shop is open from Monday to Friday. " * 50
    await journal.append(claim, seq, [answer(said)])
    query = select(func.length(events.c.payload)).where(events.c.seq == seq + 1)
    stored = await database.read(lambda connection: connection.execute(query).scalar_one())
    assert stored < 300
    assert (await journal.read(claim.run_id, seq))[0].payload["text"] == said

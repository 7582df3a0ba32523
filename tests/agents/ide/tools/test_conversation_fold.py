"""What was folded away is read again out of the journal: all of it, without old reasoning."""

from pathlib import Path

from tests.agents.ide.acting import ENDING, act

MESSAGE = "Read every line."


async def test_what_was_folded_is_listed_and_read(tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("\n".join(f"line {number} " + "x" * 2_500 for number in range(1, 61)))
    numbers = [range(first, first + 3) for first in range(1, 61, 3)]
    reads = [
        [("index_read_lines", {"path": "lines.txt", "start_line": number, "end_line": number}) for number in three]
        for three in numbers
    ]
    fold = "conversation_fold"
    account = await act(
        tmp_path,
        [(fold, {"number": 0, "part": 1})],
        *reads,
        [(fold, {"number": 0, "part": 1})],
        [(fold, {"number": 1, "part": 1})],
        [(fold, {"number": 1, "part": 2})],
        [(fold, {"number": 99, "part": 1})],
        *ENDING,
        message=MESSAGE,
    )
    none, listed, first, rest, beyond = account.results(fold)
    assert "Nothing was folded" in none["output"]
    count = sum(event.type == "compacted" for event in account.events)
    assert count >= 1
    assert [line.partition(".")[0] for line in listed["output"].splitlines()] == [str(n + 1) for n in range(count)]
    assert "more, in part 2" in first["output"]
    whole = first["output"].partition("\n\n… ")[0] + rest["output"]
    assert all(f"line {number} " in whole for number in range(1, 13))
    assert "→ index_read_lines(" in whole
    assert not beyond["success"]
    assert f"There are {count} folds" in beyond["output"]

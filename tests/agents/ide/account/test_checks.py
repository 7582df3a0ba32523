"""Every check holds of a result as it was asked for, and of none of the results in which something of it is missing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.agents.ide.account.result_of import CHECKS, CODE, found, measured, result_of

Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class Case:
    """A result of which the check holds, and the ways in which it can be false."""

    check: str
    arguments: Mapping[str, Any]
    files: Files
    false: Sequence[Files | None]
    """Files that are written over those of the case; None for each file that is gone then."""


def gone(*paths: str) -> dict[str, Any]:
    """These files are not there."""
    return dict.fromkeys(paths)


CASES = [
    Case(
        "renamed_in_code",
        {"old": "fetch", "new": "total"},
        CODE,
        [
            {"shop/cart.py": "from shop.price import fetch\n\n\nprint(fetch(1))\n"},
            {"web/app.ts": "export const show = () => fetch(2);\n"},
            {"new.go": "package main\n\nfunc fetch() {}\n"},
            {"shop/__init__.py": '__all__ = [\n    "fetch",\n]\n'},
            {"shop/f.py": 'print(f"{fetch(1)}")\n'},
            {"shop/half.py": "def fetch(:\n"},
            {path: text.replace("total", "other") for path, text in CODE.items()},
            {"old.py": b"x = '\xe9'\nfetch()\n"},
        ],
    ),
    Case(
        "renamed_everywhere",
        {"old": "fetch", "new": "total"},
        {path: text.replace("fetch", "total") for path, text in CODE.items()},
        [
            {"README.md": "The total of fetch.\n"},
            {"web/app.vue": "<p @click='fetch'>total</p>\n"},
            {"web/b.js": "x['fetch']()\n"},
            {"a.toml": "entry = 'a:fetch'\n"},
            {"old.txt": b"\xe9 fetch\n"},
            {"wide.txt": "fetch\n".encode("utf-16")},
            {"large.txt": "x" * 2_000_001 + " fetch"},
            dict.fromkeys(CODE, ""),
        ],
    ),
    Case(
        "all_replaced",
        {"old": "colour", "new": "color", "path": "a.md"},
        {"a.md": "A color.\n", "b.md": "A colour.\n"},
        [{"a.md": "A color, a colour.\n"}, {"a.md": "Nothing.\n"}, {"a.md": b"color colour \xe9"}, gone("a.md")],
    ),
    Case(
        "all_replaced",
        {"old": "one", "new": "two"},
        {"a.md": "two\n"},
        [{"b.md": "one\n"}, {"a.md": "three\n"}, {"b.md": b"one \xe9\n"}],
    ),
    Case("contains", {"path": "a.md", "text": "hello"}, {"a.md": "hello\n"}, [{"a.md": "hallo\n"}, gone("a.md")]),
    Case("lacks", {"path": "a.md", "text": "bye"}, {"a.md": "hello\n"}, [{"a.md": "good bye\n"}, gone("a.md")]),
    Case(
        "absent", {"text": "secret"}, {"a.md": "open\n"}, [{"deep/b.txt": "a secret\n"}, {"b.txt": b"a secret \xe9\n"}]
    ),
    Case("exists", {"path": "docs/a.md"}, {"docs/a.md": ""}, [gone("docs/a.md")]),
    Case("gone", {"path": "old.py"}, {"new.py": ""}, [{"old.py": ""}]),
    Case("moved", {"old": "a.py", "new": "b/a.py"}, {"b/a.py": "x\n"}, [{"a.py": "x\n"}, gone("b/a.py")]),
    Case("valid", {"path": "a.json", "format": "json"}, {"a.json": "[1]"}, [{"a.json": "[1,]"}, gone("a.json")]),
    Case("valid", {"path": "a.toml", "format": "toml"}, {"a.toml": "a = 1\n"}, [{"a.toml": "a = \n"}]),
    Case("valid", {"path": "a.py", "format": "python"}, {"a.py": "a = 1\n"}, [{"a.py": "a = (\n"}]),
    Case(
        "defines",
        {"name": "total", "path": "shop/price.py"},
        CODE,
        [{"shop/price.py": "# def total\n"}, {"shop/price.py": '"""\ndef total(n):\n"""\n'}, gone("shop/price.py")],
    ),
    Case(
        "defines", {"name": "Command"}, {"a.go": "type Command struct {\n}\n"}, [{"a.go": "// type Command struct\n"}]
    ),
    Case(
        "defines_not",
        {"name": "old"},
        {"a.py": "old()\n"},
        [{"b.py": "async def old():\n    pass\n"}, {"b.py": b"def old():\n    '\xe9'\n"}],
    ),
    Case("defines_not", {"name": "Old"}, {"a.ts": "new Old()\n"}, [{"b.ts": "export class Old {}\n"}]),
    Case(
        "assigned",
        {"path": "c.json", "key": "port", "value": "9090", "old": "8080"},
        {"c.json": '{"server": {"port": 9090}}'},
        [
            {"c.json": '{"port": 9090, "x": {"port": 9090}}'},
            {"c.json": '{"server": {"port": 8080}}'},
            {"c.json": '{"port": 9090, "x": {"port": 1}}'},
            {"c.json": "{port"},
        ],
    ),
    Case(
        "assigned",
        {"path": "p.toml", "key": "version", "value": "1.1"},
        {"p.toml": 'version = "1.1"\n'},
        [{"p.toml": ""}],
    ),
    Case(
        "assigned",
        {"path": "v.py", "key": "LIMIT", "value": "7"},
        {"v.py": "# LIMIT = 9\nLIMIT = 7  # x\n"},
        [
            {"v.py": "LIMIT = 70\n"},
            {"v.py": "'''\nLIMIT = 7\n'''\n"},
            {"v.py": "LIMIT = 7\nif x:\n    LIMIT = 70\n"},
            {"v.py": "LIMIT = 7\nLIMIT += 1\n"},
            {"v.py": "LIMIT = (\n"},
        ],
    ),
    Case(
        "assigned",
        {"path": "c.json", "key": "server.port", "value": "9090"},
        {"c.json": '{"port": 1, "server": {"port": 9090}}'},
        [{"c.json": '{"port": 9090, "server": {"port": 1}}'}, {"c.json": '{"other": {"port": 9090}}'}],
    ),
    Case(
        "assigned",
        {"path": "v.py", "key": "Client.timeout", "value": "7"},
        {"v.py": "class Client:\n    timeout = 7\n\nclass Server:\n    timeout = 1\n"},
        [{"v.py": "class Client:\n    timeout = 1\n\nclass Server:\n    timeout = 7\n"}],
    ),
    Case(
        "assigned",
        {"path": "v.ts", "key": "limit", "value": "7"},
        {"v.ts": "// limit = 9\nconst x = {\n  limit: 7,\n};\n"},
        [{"v.ts": "/*\nlimit = 7\n*/\n"}],
    ),
    Case(
        "assigned",
        {"path": "v.yml", "key": "port", "value": "7"},
        {"v.yml": "a:\n  port: 7\n"},
        [{"v.yml": "port: 8\n"}],
    ),
]


def test_every_check_has_its_falsifier() -> None:
    told = {
        "all_tests_run",
        "all_tests_pass",
        "tests_run",
        "tests_pass",
        "changed",
        "command_run",
        "quoted",
        "explained",
        "defined_at",
        "used_at",
        "unchanged",
    }
    assert {case.check for case in CASES} | told == set(CHECKS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.check}-{next(iter(case.files))}")
async def test_a_check_of_files_holds_and_is_falsified(case: Case, tmp_path: Path) -> None:
    assert await holds(case, tmp_path / "right", {})
    for number, change in enumerate(case.false):
        assert not await holds(case, tmp_path / f"wrong{number}", change or {}), change


async def holds(case: Case, root: Path, change: Mapping[str, Any]) -> bool:
    files = {path: text for path, text in {**case.files, **change}.items() if text is not None}
    return await measured(case.check, case.arguments, result_of(root, files))


async def test_a_renaming_is_not_measured_in_what_programs_have_made(tmp_path: Path) -> None:
    made = {".venv/pyvenv.cfg": "", ".venv/lib/a.py": "fetch()\n", "node_modules/x/a.js": "fetch()\n"}
    assert await measured("renamed_in_code", {"old": "fetch", "new": "total"}, result_of(tmp_path, CODE | made))


async def test_a_definition_is_not_told_as_working(tmp_path: Path) -> None:
    defined = await found("defines", {"name": "f"}, result_of(tmp_path, {"a.py": "def f(): ...\n"}))
    assert "nothing has run it" in defined.value


async def test_unchanged_is_what_the_file_system_says(tmp_path: Path) -> None:
    after, before = datetime(2100, 1, 1, tzinfo=UTC), datetime(2000, 1, 1, tzinfo=UTC)
    assert await measured("unchanged", {"path": "a.md"}, result_of(tmp_path, {"a.md": "x"}, began=after))
    assert not await measured("unchanged", {"path": "a.md"}, result_of(tmp_path, {"a.md": "x"}, began=before))
    assert not await measured("unchanged", {"path": "b.md"}, result_of(tmp_path, {}, began=after))
    assert await measured("changed", {"path": "a.md"}, result_of(tmp_path, {"a.md": "x"}, began=before))
    assert not await measured("changed", {"path": "a.md"}, result_of(tmp_path, {"a.md": "x"}, began=after))
    assert not await measured("changed", {"path": "b.md"}, result_of(tmp_path, {}, began=before))

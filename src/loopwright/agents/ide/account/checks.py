"""The checks of the ide agent: what can be measured in the file tree, in the output of tests, and in the answer."""

import ast
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from loopwright.agents.ide.account.reading import (
    is_code,
    lines_defining,
    lines_naming,
    lines_naming_freely,
    lines_with_word,
)
from loopwright.agents.ide.account.runners import RunResult, files_of, require_seen, text_of, texts_of
from loopwright.kernel.account import Check, Measured, NotMeasurable

# What a key is set to in a file: JSON, TOML and Python by their parsers, other files by their lines.

LINE = r"^\s*(?:[\w.\[\]]+\.)?[\"']?{key}[\"']?\s*(?::\s*\w+\s*=|[:=])\s*(.+?)\s*[,;]?\s*(?:#.*)?$"
"""`key = value`, `key: value`, `"key": value,` and the like, alone on a line."""
Found = Sequence[tuple[str, str]]
"""Keys with all that they stand in, joined by dots, and their values without quotes."""


def assigned_values(path: str, text: str, key: str) -> Found:
    """The places at which the key has a value: those of its whole path where there is one, else those that end with it.

    Empty where it has none, or the file cannot be read.

    Raises:
        NotMeasurable: the key stands in quotes or in a comment, and the format has no parser here.
    """
    suffix = path.rpartition(".")[2].lower()
    try:
        if suffix == "json":
            found = list(_under(json.loads(text)))
        elif suffix == "toml":
            found = list(_under(tomllib.loads(text)))
        elif suffix in ("py", "pyi"):
            found = list(_in_python(ast.parse(text)))
        else:
            return _in_lines(path, text, key)
    except (ValueError, SyntaxError, RecursionError):
        return []
    whole = [each for each in found if each[0] == key and "." in key]
    return whole or [each for each in found if f".{each[0]}".endswith(f".{key}")]


def _under(node: Any, above: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        for name, value in node.items():
            yield from _under(value, f"{above}.{name}" if above else str(name))
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from _under(value, f"{above}.{number}")
    else:
        yield above, node if isinstance(node, str) else json.dumps(node, default=str)


def _in_python(node: ast.AST, above: str = "") -> Iterator[tuple[str, str]]:
    """Names and members that get a value, keys of dictionaries and named arguments, below the classes they stand in."""
    inside = above
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        inside = f"{above}{node.name}."
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if node.value is not None:
                yield above + ast.unparse(target), _value(node.value)
        inside = f"{above}{ast.unparse(targets[0])}."
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield f"{above}{key.value}", _value(value)
    elif isinstance(node, ast.keyword) and node.arg:
        yield above + node.arg, _value(node.value)
    for child in ast.iter_child_nodes(node):
        yield from _in_python(child, inside)


def _value(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def _in_lines(path: str, text: str, key: str) -> Found:
    """The lines that set the key; in code not those on which it stands in a comment or a string.

    Raises:
        NotMeasurable: there are only such.
    """
    pattern = re.compile(LINE.format(key=re.escape(key)), re.MULTILINE)
    loud = lines_with_word(path, text, key.rpartition(".")[2]) if is_code(path) else None
    numbered = ((text.count("\n", 0, found.start(1)) + 1, found[1].strip("\"'")) for found in pattern.finditer(text))
    every = [(line, (f"line {line}", value)) for line, value in numbered]
    found = [each for line, each in every if loud is None or line in loud]
    if every and not found:
        raise NotMeasurable(f"{key} stands in quotes or in a comment alone")
    return found


MOST_PLACES = 8
PARSERS: Mapping[str, Callable[[str], object]] = {"json": json.loads, "toml": tomllib.loads, "python": ast.parse}


class Promise(BaseModel):
    """The arguments of a check: the values that are promised."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RenamedEverywhere(Promise):
    """`old` is `new` in every file, in code and in text."""

    old: str
    new: str


class RenamedInCode(Promise):
    """`old` is `new` in all code; in that of `path` alone where one is named."""

    old: str
    new: str
    path: str = ""


class Replaced(Promise):
    """`old` stands no more in `path` (anywhere, where none is named), and `new` does."""

    old: str
    new: str
    path: str = ""


class InFile(Promise):
    """A text and the file that it is about."""

    path: str
    text: str


class AtPath(Promise):
    """A file or a folder."""

    path: str


class OfText(Promise):
    """A text that is in no file."""

    text: str


class Moved(Promise):
    """A file that has another path."""

    old: str
    new: str


class Valid(Promise):
    """A file that can be read as what it is."""

    path: str
    format: Literal["json", "toml", "python"]


class Defined(Promise):
    """A name that the code of `path` defines; any file's, where none is named."""

    name: str
    path: str = ""


class Assigned(Promise):
    """A key that has a value in a file, and has it no more where `old` names the one before."""

    path: str
    key: str
    value: str
    old: str = ""


async def renamed_in_code(run: RunResult, claim: RenamedInCode) -> Measured:
    """No code has the old name, and some has the new one.

    Raises:
        NotMeasurable: the old name is left as a member alone, which may be another thing's, or in code, not text.
    """

    def wanted(path: str) -> bool:
        return is_code(path) and claim.path in ("", path)

    texts = [(path, text) for path, text in texts_of(run.output_dir) if wanted(path)]
    old, new = (
        [f"{path}:{line}" for path, text in texts for line in lines_naming(path, text, name)]
        for name in (claim.old, claim.new)
    )
    value = f"in the code of {len(texts)} files {claim.old} {len(old)} times, {claim.new} {len(new)} times"
    if old and new and not any(lines_naming_freely(path, text, claim.old) for path, text in texts):
        raise NotMeasurable(f"{claim.old} is left as a member at {_places(old)}: perhaps of another thing")
    if not old:
        require_seen(run.output_dir, claim.old, wanted)
    return Measured(not old and bool(new), value, _places(old or new))


async def renamed_everywhere(run: RunResult, claim: RenamedEverywhere) -> Measured:
    """No file has the old name, be it in code, in a string or in text, and some code has the new one.

    Raises:
        NotMeasurable: as for code alone.
    """
    word = re.compile(rf"(?<![\w$]){re.escape(claim.old)}(?![\w$])")
    in_code = await renamed_in_code(run, RenamedInCode(old=claim.old, new=claim.new))
    left = [
        f"{path}:{text.count(chr(10), 0, found.start()) + 1}"
        for path, text in texts_of(run.output_dir)
        for found in word.finditer(text)
    ]
    if not left:
        require_seen(run.output_dir, claim.old)
    value = f"{claim.old} {len(left)} times in all files, {in_code.value}"
    return Measured(in_code.holds and not left, value, _places(left) or in_code.where)


async def replaced(run: RunResult, claim: Replaced) -> Measured:
    """The old text is gone where it was, and the new one is there."""
    texts = [(path, text) for path, text in texts_of(run.output_dir) if claim.path in ("", path)]
    left = [path for path, text in texts if claim.old in text.replace(claim.new, "")]
    now = [path for path, text in texts if claim.new in text]
    if not left:
        require_seen(run.output_dir, claim.old, lambda path: claim.path in ("", path))
    value = f"{claim.old!r} in {len(left)} files, {claim.new!r} in {len(now)}"
    return Measured(not left and bool(now), value, _places(left or now))


async def contains(run: RunResult, claim: InFile) -> Measured:
    """The file has the text."""
    text = text_of(run.output_dir, claim.path)
    there = text is not None and claim.text in text
    return Measured(there, _found(text, there), claim.path)


async def lacks(run: RunResult, claim: InFile) -> Measured:
    """The file is there and does not have the text."""
    text = text_of(run.output_dir, claim.path)
    there = text is not None and claim.text in text
    return Measured(text is not None and not there, _found(text, there), claim.path)


async def absent(run: RunResult, claim: OfText) -> Measured:
    """No file has the text."""
    found = [path for path, text in texts_of(run.output_dir) if claim.text in text]
    if not found:
        require_seen(run.output_dir, claim.text)
    return Measured(not found, f"in {len(found)} files", _places(found))


async def exists(run: RunResult, claim: AtPath) -> Measured:
    """There is such a file or folder."""
    there = (run.output_dir / claim.path).exists()
    return Measured(there, "there" if there else "not there", claim.path)


async def gone(run: RunResult, claim: AtPath) -> Measured:
    """There is no such file or folder."""
    there = (run.output_dir / claim.path).exists()
    return Measured(not there, "there" if there else "not there", claim.path)


async def moved(run: RunResult, claim: Moved) -> Measured:
    """The file is gone from where it was, and is where it should be."""
    old, new = ((run.output_dir / path).exists() for path in (claim.old, claim.new))
    value = f"{claim.old} {'is there' if old else 'is gone'}, {claim.new} {'is there' if new else 'is not there'}"
    return Measured(new and not old, value, claim.new)


async def valid(run: RunResult, claim: Valid) -> Measured:
    """The file can be read as JSON, TOML or Python."""
    text = text_of(run.output_dir, claim.path)
    if text is None:
        return Measured(False, "not there", claim.path)
    try:
        PARSERS[claim.format](text)
    except (ValueError, SyntaxError, RecursionError) as error:
        return Measured(False, f"cannot be read: {error}", claim.path)
    return Measured(True, f"read as {claim.format}", claim.path)


async def defined(run: RunResult, claim: Defined) -> Measured:
    """The code defines the name; what it does is not looked at."""
    places = list(definitions(run, claim.name, claim.path))
    return Measured(bool(places), f"defined {len(places)} times; nothing has run it for this", _places(places))


async def undefined(run: RunResult, claim: Defined) -> Measured:
    """The code does not define the name any more."""
    places = list(definitions(run, claim.name, claim.path))
    if not places:
        require_seen(run.output_dir, claim.name, lambda path: is_code(path) and claim.path in ("", path))
    return Measured(not places, f"defined {len(places)} times", _places(places))


async def assigned(run: RunResult, claim: Assigned) -> Measured:
    """The key has the value.

    Raises:
        NotMeasurable: the file has several such keys, and nothing says which is meant.
    """
    text = text_of(run.output_dir, claim.path)
    found = assigned_values(claim.path, text, claim.key) if text is not None else []
    if len(found) > 1:
        raise NotMeasurable(
            f"{claim.key} is there {len(found)} times: {', '.join(f'{key} is {v}' for key, v in found)}"
        )
    holds = bool(found) and found[0][1] == claim.value
    return Measured(holds, f"{claim.key} is {found[0][1] if found else 'not there'}", claim.path)


async def unchanged(run: RunResult, claim: AtPath) -> Measured:
    """The file system says that the file was not written since the run began."""
    written = await _written_in_run(run, claim.path)
    return (
        Measured(not written.holds, written.value, claim.path) if (run.output_dir / claim.path).is_file() else written
    )


async def changed(run: RunResult, claim: AtPath) -> Measured:
    """The file system says that the file was written since the run began."""
    return await _written_in_run(run, claim.path)


async def _written_in_run(run: RunResult, path: str) -> Measured:
    place = run.output_dir / path
    if not place.is_file():
        return Measured(False, "not there", path)
    events = await run.journal.read(run.state.run_id)
    written = place.stat().st_ctime > events[0].at.timestamp()
    return Measured(written, "written in this run" if written else "not written in this run", path)


def definitions(run: RunResult, name: str, path: str = "") -> Iterator[str]:
    """The places that define a name."""
    for each in files_of(run.output_dir):
        if is_code(each) and path in ("", each):
            text = text_of(run.output_dir, each) or ""
            yield from (f"{each}:{line}" for line in lines_defining(each, text, name))


def _places(places: Sequence[str]) -> str:
    unique = list(dict.fromkeys(places))
    more = f" and {len(unique) - MOST_PLACES} more" if len(unique) > MOST_PLACES else ""
    return ", ".join(unique[:MOST_PLACES]) + more


def _found(text: str | None, there: bool) -> str:
    return "the file is not there" if text is None else "the text is there" if there else "the text is not there"


TREE_CHECKS = (
    Check("renamed_in_code", RenamedInCode, renamed_in_code, lasting=False),
    Check("renamed_everywhere", RenamedEverywhere, renamed_everywhere, lasting=False),
    Check("all_replaced", Replaced, replaced, lasting=False),
    Check("contains", InFile, contains, lasting=False),
    Check("lacks", InFile, lacks, lasting=False),
    Check("absent", OfText, absent, lasting=False),
    Check("exists", AtPath, exists, lasting=False),
    Check("gone", AtPath, gone, lasting=False),
    Check("moved", Moved, moved, lasting=False),
    Check("valid", Valid, valid),
    Check("defines", Defined, defined, lasting=False),
    Check("defines_not", Defined, undefined, lasting=False),
    Check("assigned", Assigned, assigned, about=("path", "key")),
    Check("changed", AtPath, changed, lasting=False),
    Check("unchanged", AtPath, unchanged, lasting=False, so_already="unchanged in this run"),
)

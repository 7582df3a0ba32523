"""Definitions of ten languages, found by their names and by what somebody remembers of them."""

from pathlib import Path

import pytest

from loopwright.agents.ide.index.parsing import BY_SUFFIX
from tests.agents.ide.index.workshop import index_of

SOURCES = {
    "a.py": "LIMIT = 3\nclass Box:\n    def open_lid(self): ...\nasync def main() -> None:\n    def inner(): ...\n",
    "a.js": "const limit = 3;\nexport class Box { openLid() {} }\nfunction main() {}\nfunction* walk() {}\n",
    "a.ts": "export const limit: number = 3;\ninterface Lid { x: number }\ntype Id = string;\n"
    "enum Hue { Red }\n"
    "abstract class Base {}\nclass Box { openLid(): void {} }\nfunction main() {}\n",
    "a.tsx": "export function App() { return <p>hello</p>; }\ninterface Props { x: number }\n",
    "a.go": "package a\nconst Limit = 3\ntype Box struct{}\ntype Lid interface{}\nfunc (b *Box) Open() {}\n"
    "func main() {}\n",
    "a.rs": "const LIMIT: u8 = 3;\nstruct Box {}\nenum Hue { Red }\ntrait Lid {}\n"
    "impl Box { fn open(&self) {} }\nmod m {}\n"
    "fn main() {}\nmacro_rules! say { () => {} }\n",
    "A.java": "class Box { int size; Box() {} void open() {} }\ninterface Lid {}\nenum Hue { RED }\n"
    "record Pair(int a) {}\n",
    "a.c": "#define LIMIT 3\nstruct box { int x; };\nenum hue { RED };\ntypedef struct box Box;\n"
    "int *find(void) { return 0; }\n"
    "int main(void) { return 0; }\n",
    "a.cpp": "namespace n { class Box { void open() {} }; }\nvoid n::Box::close() {}\nint main() { return 0; }\n",
    "a.swift": "let limit = 3\nclass Box { init() {}\n func open() {} }\nprotocol Lid {}\nstruct Pair {}\n"
    "func main() {}\n",
    "a.rb": "LIMIT = 3\nmodule Shop\n  class Box\n    def open_lid; end\n    def self.make; end\n  end\nend\n",
}
EXPECTED = {
    "a.py": {"LIMIT": "variable", "Box": "class", "Box.open_lid": "method", "main": "function", "inner": "function"},
    "a.js": {"limit": "variable", "Box": "class", "Box.openLid": "method", "main": "function", "walk": "function"},
    "a.ts": {"limit": "variable", "Lid": "interface", "Id": "type", "Hue": "enum", "Base": "class", "Box": "class",
             "Box.openLid": "method", "main": "function"},
    "a.tsx": {"App": "function", "Props": "interface"},
    "a.go": {"Limit": "constant", "Box": "struct", "Lid": "interface", "Open": "method", "main": "function"},
    "a.rs": {"LIMIT": "constant", "Box": "struct", "Hue": "enum", "Lid": "interface", "Box.open": "method",
             "m": "module", "main": "function", "say": "macro"},
    "A.java": {"Box": "class", "Box.size": "variable", "Box.open": "method", "Lid": "interface", "Hue": "enum",
               "Pair": "class"},
    "a.c": {"LIMIT": "macro", "box": "struct", "hue": "enum", "Box": "type", "find": "function", "main": "function"},
    "a.cpp": {"n": "module", "n.Box": "class", "Box.open": "method", "close": "method", "main": "function"},
    "a.swift": {"limit": "variable", "Box": "class", "Box.init": "initializer", "Box.open": "method",
                "Lid": "protocol", "Pair": "class", "main": "function"},
    "a.rb": {"LIMIT": "constant", "Shop": "module", "Shop.Box": "class", "Box.open_lid": "method",
             "Box.make": "method"},
}  # fmt: skip


@pytest.mark.parametrize("path", SOURCES)
def test_definitions_of_each_language_are_found(tmp_path: Path, path: str) -> None:
    index = index_of(tmp_path, {path: SOURCES[path]})
    found = {(f"{each.container}.{each.name}".lstrip("."), each.kind) for each in index.symbols_of(path)}
    assert set(EXPECTED[path].items()) <= found


def test_no_language_is_left_untried() -> None:
    tried = {BY_SUFFIX["." + path.partition(".")[2]] for path in SOURCES}
    assert tried == set(BY_SUFFIX.values())


def test_the_nearest_name_comes_first(tmp_path: Path) -> None:
    contents = {
        "a.py": "def parse_request(): ...\ndef parse(): ...\ndef reparse(): ...\nclass ParseError: ...\n"
        "class Parse: ...",
        "b.py": "class HTTPServerError: ...",
    }
    index = index_of(tmp_path, contents)
    assert [each.name for each in index.search_symbols("parse")] == [
        "parse", "Parse", "ParseError", "parse_request", "reparse",
    ]  # fmt: skip
    assert [each.name for each in index.search_symbols("server error")] == ["HTTPServerError"]
    assert [each.name for each in index.search_symbols("parse_reqeust")] == ["parse_request"], "a slip of the fingers"
    assert [each.name for each in index.search_symbols("parse", kind="class")] == ["Parse", "ParseError"]
    assert len(index.search_symbols("parse", limit=2)) == 2
    assert index.search_symbols("100% '; DROP TABLE symbols") == []


def test_references_are_code_and_nothing_else(tmp_path: Path) -> None:
    index = index_of(tmp_path, {
        "a.py": 'def total(): ...  # total\nx = "total"\né = total() + f"{total()}"\n',
        "b.js": "// total\nconst s = `total ${total}`;\n",
        "c.md": "total",
        "d.rb": "def full?; end\nputs full?\n",
    })  # fmt: skip
    assert [(each.path, each.line, each.column) for each in index.references("total")] == [
        ("a.py", 1, 5), ("a.py", 3, 5), ("a.py", 3, 18), ("b.js", 2, 20),
    ]  # fmt: skip
    assert [each.line for each in index.references("full?")] == [1, 2]


def test_a_map_fits_its_budget_and_shows_what_is_asked_for_first(tmp_path: Path) -> None:
    contents = {f"pkg/module_{number}.py": f"def helper_{number}(): ...\n" for number in range(80)}
    contents["pkg/core.py"] = "class Engine: ...\n"
    contents |= {f"pkg/user_{number}.py": "from pkg.core import Engine\n" for number in range(20)}
    contents["tests/test_core.py"] = "from pkg.core import Engine\ndef test_engine(): ...\n"
    index = index_of(tmp_path, contents)
    drawn = index.map(150)
    assert drawn.splitlines()[0] == "pkg/core.py: Engine"
    assert len(drawn) <= 450
    assert "more files" in drawn
    assert index.map(150, "what does helper_42 do?").splitlines()[0] == "pkg/module_42.py: helper_42"
    assert "more files" not in index.map(5_000)

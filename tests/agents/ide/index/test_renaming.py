"""Renaming: every place that means the symbol, and no other; refused where it would change what the code does."""

import ast
from collections.abc import Mapping
from pathlib import Path

import pytest

from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from tests.agents.ide.index.workshop import index_of, lay_out

PACKAGE = {
    "shop/__init__.py": 'from .prices import total\nfrom . import prices\n__all__ = ["total", "prices"]\n',
    "shop/prices.py": '''"""What total means."""
def total(items, *, scale=1):
    """Give the total."""
    return sum(items) * scale
def show(total):
    return f"total: {total}"
def report(items):
    subtotal = [total for total in items]
    return total(subtotal), (lambda total: total)(3)
class Basket:
    total = 0
    def sum_up(self, other):
        self.total = other.total(total=total([1]))
''',
    "app.py": """import shop
import shop.prices as sp
from shop import total as summed
from shop.prices import *
from statistics import mean as total_mean
def main():
    global total
    from shop.prices import total
    return shop.total([1]), sp.total([2]), shop.prices.total([3]), summed([4]), total([5])
def other():
    total = 7
    def inner():
        nonlocal total
        total += 1
        return total
    return inner()
""",
    "elsewhere.py": "from numpy import total\nimport numpy\nprint(total, numpy.total)\n",
    "page.js": "function total() {}\n",
}
RENAMED = {
    "shop/__init__.py": 'from .prices import total_of\nfrom . import prices\n__all__ = ["total_of", "prices"]\n',
    "shop/prices.py": PACKAGE["shop/prices.py"]
    .replace("def total(", "def total_of(")
    .replace("return total(sub", "return total_of(sub")
    .replace("total=total([1])", "total=total_of([1])"),
    "app.py": PACKAGE["app.py"]
    .replace("import total as", "import total_of as")
    .replace(
        "global total\n    from shop.prices import total\n", "global total_of\n    from shop.prices import total_of\n"
    )
    .replace("shop.total(", "shop.total_of(")
    .replace("sp.total(", "sp.total_of(")
    .replace("prices.total(", "prices.total_of(")
    .replace(" total([5])", " total_of([5])"),
}


def renamed(root: Path, contents: Mapping[str, str], old: str, new: str, **options: object) -> dict[str, str]:
    lay_out(root, contents)
    result = index_of(root).rename(old, new, **options)  # type: ignore[arg-type]
    assert {edit.path: edit.before for edit in result.edits} == {
        edit.path: contents[edit.path] for edit in result.edits
    }
    return {edit.path: edit.after for edit in result.edits}


def test_a_function_is_renamed_where_it_is_meant(tmp_path: Path) -> None:
    done = renamed(tmp_path, PACKAGE, "total", "total_of", path="shop/prices.py")
    assert done == RENAMED
    for text in done.values():
        ast.parse(text)


def test_what_keeps_the_name_is_told(tmp_path: Path) -> None:
    kept = index_of(tmp_path, PACKAGE).rename("total", "total_of", path="shop/prices.py").kept
    assert ("elsewhere.py", 1) in kept
    assert ("shop/prices.py", 5) in kept
    assert ("shop/prices.py", 2) not in kept


def test_a_method_is_renamed_at_every_object_that_may_have_it(tmp_path: Path) -> None:
    done = renamed(
        tmp_path,
        {
            "a.py": "import os\nclass Door:\n    def close(self): ...\n    shut = close\n\ndef close(): ...\n"
            "def use(door, close):\n    door.close()\n    os.close(close)\n",
            "b.py": "from a import Door\nDoor.close(Door())\n",
        },
        "close",
        "pull_to",
        path="a.py",
        container="Door",
    )
    assert done["a.py"].count("pull_to") == 3
    assert "def close(): ..." in done["a.py"]
    assert "os.close(close)" in done["a.py"]
    assert done["b.py"] == "from a import Door\nDoor.pull_to(Door())\n"


def test_a_local_function_stays_local(tmp_path: Path) -> None:
    contents = {
        "a.py": "def outer():\n    def helper(): ...\n    return helper()\n",
        "b.py": "def f(helper): helper()\n",
    }
    done = renamed(tmp_path, contents, "helper", "aide")
    assert done == {"a.py": contents["a.py"].replace("helper", "aide")}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.ts", "export class Box<T> { }\nconst b: Box<number> = new Box();\n// a Box\nconst s = 'Box';\n"),
        ("a.go", 'package a\ntype Box struct{}\nfunc f(b *Box) string { return "Box" } // Box\n'),
        ("a.rs", 'struct Box {}\nimpl Box { fn f(b: &Box) -> &str { "Box" } } // Box\n'),
        ("A.java", 'class Box { Box f(Box b) { return new Box(); } String s = "Box"; /* Box */ }\n'),
    ],
)
def test_other_languages_rename_the_code_and_leave_the_rest(tmp_path: Path, path: str, text: str) -> None:
    after = renamed(tmp_path, {path: text}, "Box", "Crate", everywhere=True)[path]
    assert after.count("Box") == 2, "the string and the comment"
    assert after.count("Crate") == text.count("Box") - 2


def test_two_of_a_name_are_not_one(tmp_path: Path) -> None:
    contents = {"a.py": "def run(): ...\n", "b.py": "def run(): ...\nrun()\n", "c.py": "from a import run\nrun()\n"}
    with pytest.raises(Conflict, match=r"a\.py:1, b\.py:1"):
        index_of(tmp_path, contents).rename("run", "walk")
    assert renamed(tmp_path, contents, "run", "walk", everywhere=True).keys() == contents.keys()


def test_a_stub_and_the_branches_of_a_condition_are_one(tmp_path: Path) -> None:
    contents = {
        "a.py": "try:\n    from fast import run\nexcept ImportError:\n    def run(): ...\n",
        "a.pyi": "def run() -> None: ...\n",
    }
    done = renamed(tmp_path, contents, "run", "walk")
    assert done["a.pyi"] == "def walk() -> None: ...\n"
    assert "def walk" in done["a.py"]


@pytest.mark.parametrize(
    ("new", "error"),
    [("taken", Conflict), ("class", InvalidInput), ("a b", InvalidInput), ("", InvalidInput), ("f", InvalidInput),
     ("x; import os", InvalidInput), ("1st", InvalidInput)],
)  # fmt: skip
def test_a_name_that_cannot_be_taken_is_refused(tmp_path: Path, new: str, error: type[InvalidInput]) -> None:
    index = index_of(tmp_path, {"a.py": "taken = 1\ndef f(): ...\nf()\n"})
    with pytest.raises(error):
        index.rename("f", new)


def test_what_is_not_defined_cannot_be_renamed(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        index_of(tmp_path, {"a.py": "print(1)"}).rename("print", "say")


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": "# -*- coding: latin-1 -*-\ndef f(): ... # é\n".encode("latin-1")})
    with pytest.raises(InvalidInput, match="UTF-8"):
        index_of(tmp_path).rename("f", "g")

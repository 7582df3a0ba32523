"""Definitions written into a file: replaced by name, or added; the rest of the file stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.ide.editing.replacing import with_definitions
from loopwright.kernel.errors import InvalidInput

PYTHON = '''"""Means."""

import math


def mean(values):
    return sum(values) / len(values)


class Box:
    @property
    def size(self):
        return 1

    def top(self):
        return 2
'''
GO = "package shapes\n\n// R is a box.\ntype R struct {\n\tW, H float64\n}\n"


@pytest.mark.parametrize(
    ("path", "before", "code", "after"),
    [
        (
            "a.py",
            PYTHON,
            "import math\nfrom statistics import fmean\n\ndef mean(values):\n    return fmean(values)\n",
            PYTHON.replace("import math\n", "import math\nfrom statistics import fmean\n").replace(
                "sum(values) / len(values)", "fmean(values)"
            ),
        ),
        ("a.py", PYTHON, "def low(v):\n    return min(v)", PYTHON + "\n\ndef low(v):\n    return min(v)\n"),
        (
            "a.py",
            PYTHON,
            "@property\ndef size(self):\n    return 3\n",
            PYTHON.replace("return 1", "return 3"),
        ),
        (
            "a.py",
            PYTHON,
            "    def top(self):\n        return 5\n",
            PYTHON.replace("return 2", "return 5"),
        ),
        (
            "s.go",
            GO,
            "func (r R) Area() float64 {\n\treturn r.W * r.H\n}",
            GO + "\nfunc (r R) Area() float64 {\n\treturn r.W * r.H\n}\n",
        ),
        (
            "p.js",
            "export function price(n) {\n  return n;\n}\n",
            "export function price(n) {\n  return n * 2;\n}\n",
            "export function price(n) {\n  return n * 2;\n}\n",
        ),
        ("a.py", "x = 1\n", "import os\n\ndef f(): ...", "import os\n\nx = 1\n\n\ndef f(): ...\n"),
    ],
)
def test_a_definition_takes_its_place(path: str, before: str, code: str, after: str) -> None:
    assert with_definitions(path, before, code)[0] == after


def test_code_without_a_definition_is_refused() -> None:
    with pytest.raises(InvalidInput, match="No function"):
        with_definitions("a.py", PYTHON, "print(1)\n")


def test_a_name_in_several_places_is_refused() -> None:
    before = "class A:\n    def f(self): ...\n\n\nclass B:\n    def f(self): ...\n"
    with pytest.raises(InvalidInput, match="several places"):
        with_definitions("a.py", before, "def f(self):\n    return 1\n")


@given(st.lists(st.sampled_from("abcdef"), unique=True, min_size=1), st.sampled_from("abcdefgh"))
def test_the_others_stay_as_they_are(names: list[str], written: str) -> None:
    blocks = {name: f"def {name}():\n    return {ord(name)}" for name in names}
    before = "\n\n\n".join(blocks.values()) + "\n"
    after, notes = with_definitions("a.py", before, f"def {written}():\n    return 0\n")
    expected = {**blocks, written: f"def {written}():\n    return 0"}
    assert after == "\n\n\n".join(expected.values()) + "\n"
    assert notes == [f"{'Replaced' if written in names else 'Added'} {written}."]

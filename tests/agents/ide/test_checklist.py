"""The checklist of the specification is whole, and what its lines name as their proof is there."""

import ast
import re

from tests.shape.source import ROOT

ROW = re.compile(r"^\| (11\.\d) \| (.+?) \| (.+) \|$", re.MULTILINE)
LINES = {"11.1": 3, "11.2": 3, "11.3": 2, "11.4": 3, "11.5": 3, "11.6": 3, "11.7": 2, "11.8": 2}
"""How many lines each part of §11 has."""
PROOF = re.compile(r"`([\w/]+\.(?:py|yaml))(?:::(\w+))?`")


def test_every_line_has_a_proof_that_is_there() -> None:
    rows = ROW.findall((ROOT / "docs" / "ide.md").read_text(encoding="utf-8"))
    assert {part: sum(each == part for each, *_ in rows) for part in LINES} == LINES
    for part, line, cell in rows:
        proofs = PROOF.findall(cell)
        assert proofs, (part, line)
        for path, name in proofs:
            text = (ROOT / "tests" / path).read_text(encoding="utf-8")
            if name:
                tests = [
                    node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                ]
                assert name in {test.name for test in tests}, (part, line, path, name)

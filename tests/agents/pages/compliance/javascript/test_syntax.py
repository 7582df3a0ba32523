"""Scripts compile here exactly when they compile in Chromium: each snippet with the browser's own verdict."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.compliance.javascript import collect_scripts, facts_of
from loopwright.agents.pages.compliance.javascript.parsing import kind_of
from tests.support.browser import evaluate_in_chromium

VERDICTS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("verdicts.json").read_text(encoding="utf-8"))
THROWN_LATER = {"f() = 1", "f()++"}
"""Early errors by the standard. V8 compiles them for the sake of old pages and throws when they are reached."""
NOT_JUDGED = {
    "{ using x = y }",
    "using x = y",
    "async function f() { await using x = y }",
    "using x = { [Symbol.dispose]() {} };",
}

COMPILE = """async (items) => {
  const compiled = [];
  let hasError = false;
  addEventListener("error", (event) => {
    hasError ||= event.message.includes("SyntaxError");
    event.preventDefault();
  });
  for (const { kind, code } of items) {
    hasError = false;
    if (kind === "handler") {
      const element = document.createElement("p");
      element.setAttribute("onclick", code);
      hasError = typeof element.onclick !== "function";
    } else if (kind === "module") {
      const script = document.createElement("script");
      script.type = "module";
      script.src = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
      await new Promise((done) => { script.onload = script.onerror = done; document.body.append(script); });
    } else {
      // A script that begins with a throw is parsed as a whole and does nothing. A directive has to stay in front.
      const directive = /^\\s*(['"])use strict\\1/.test(code) ? '"use strict"; ' : "";
      const source = code.startsWith("#!") ? "//" + code : code;
      try {
        (0, eval)(`${directive}throw 0;\\n${source}`);
      } catch (thrown) {
        hasError = thrown instanceof SyntaxError;
      }
    }
    compiled.push(!hasError);
  }
  return compiled;
}"""


def judged() -> list[dict[str, Any]]:
    return [row for row in VERDICTS if row["code"] not in NOT_JUDGED]


@pytest.mark.parametrize("row", judged(), ids=lambda row: f"{row['kind']}: {row['code']}"[:60])
def test_the_verdict_is_that_of_chromium(row: dict[str, Any]) -> None:
    facts = facts_of(row["code"], row["kind"])
    assert facts.not_judged is None
    assert (facts.problem is None) is (row["compiles"] and row["code"] not in THROWN_LATER), facts.problem


def test_there_are_enough_of_both_kinds() -> None:
    good = sum(row["compiles"] for row in VERDICTS)
    assert len(VERDICTS) >= 350
    assert min(good, len(VERDICTS) - good) >= 150


def test_what_is_newer_than_the_parser_is_left_open() -> None:
    for code in sorted(NOT_JUDGED):
        assert facts_of(code, "classic").not_judged, code


@pytest.mark.browser
async def test_the_kept_verdicts_are_chromiums(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("<!doctype html><title>Compiler</title><body>", encoding="utf-8")
    script = f"async () => ({COMPILE})({json.dumps(VERDICTS)})"
    compiled: Sequence[bool] = await evaluate_in_chromium(path, script)
    wrong = [
        (row["kind"], row["code"]) for row, said in zip(VERDICTS, compiled, strict=True) if said is not row["compiles"]
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("type_attribute", "kind"),
    [
        (None, "classic"),
        ("", "classic"),
        (" Text/JavaScript ", "classic"),
        ("text/javascript; charset=utf-8", None),
        ("application/ecmascript", "classic"),
        ("text/jsx", None),
        ("text/template", None),
        (" ", None),
        ("MODULE", "module"),
        ("importmap", "import map"),
        ("application/ld+json", "json"),
        ("application/json; charset=utf-8", "json"),
    ],
)
def test_the_type_decides_what_a_script_is(type_attribute: str | None, kind: str | None) -> None:
    assert kind_of(type_attribute) == kind


def test_scripts_are_found_where_browsers_look_for_them() -> None:
    from selectolax.lexbor import LexborHTMLParser

    html = (
        "<p>x<script>one</script><template><script>no</script></template><noscript><script>no</script></noscript>"
        "<svg><script>two</script></svg><script src=x.js>no</script><script nomodule>no</script>"
        "<script type=module>three</script><p onclick=four one=no onfoo=no>x</p>"
        "<a href=' JavaScript:five%28%29'>x</a><script>six<!--<script></script>still six</script>"
        "<!-- <script>no</script> --><textarea><script>no</script></textarea>"
    )
    found = [(script.kind, script.text) for script in collect_scripts(LexborHTMLParser(html))]
    assert found == [
        ("classic", "one"),
        ("classic", "two"),
        ("module", "three"),
        ("handler", "four"),
        ("classic", "five()"),
        ("classic", "six<!--<script></script>still six"),
    ]


@given(
    st.text(alphabet="(){}[]`$\\/'\"*<!->=.,;:?#\n abdefilnortuwy019", max_size=60),
    st.sampled_from(["classic", "module", "handler", "json"]),
)
def test_any_text_gets_a_verdict(text: str, kind: Any) -> None:
    facts = facts_of(text, kind)
    assert facts.problem is None or (facts.problem.line >= 1 and facts.problem.message)


@pytest.mark.parametrize(
    "text", ["(" * 5_000, "[" * 50_000, "x=>" * 4_000 + "1", "a" + "+a" * 30_000, "`${" * 2_000, "x" * 400_000]
)
def test_hostile_scripts_are_answered_in_time(text: str) -> None:
    facts = facts_of(text, "classic")
    assert facts.not_judged or facts.problem

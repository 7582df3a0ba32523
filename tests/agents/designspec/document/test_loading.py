"""Text from anybody becomes plain values, or is refused with the place of the culprit."""

import pytest

from loopwright.agents.designspec.document import load_text
from loopwright.kernel.errors import InvalidInput


@pytest.mark.parametrize("source", ["a.json", ""])
def test_json(source: str) -> None:
    assert load_text('\ufeff {"a": [1, 2.5e-3, null, true, "x"]}', source) == {"a": [1, 2.5e-3, None, True, "x"]}


def test_yaml_reads_values_like_json() -> None:
    """What YAML 1.1 makes of exponents without a point, of yes, of dates and of octal numbers is never meant."""
    text = "a: 1e-05\nb: yes\nc: 2020-01-01\nd: 010\ne: 1.0\nf: ~\ng: 'true'\nh: true\ni: .5\n1: x\nk: [1, {l: m}]\n"
    assert load_text(text, "a.yaml") == {
        "a": 1e-5,
        "b": "yes",
        "c": "2020-01-01",
        "d": 10,
        "e": 1.0,
        "f": None,
        "g": "true",
        "h": True,
        "i": 0.5,
        "1": "x",
        "k": [1, {"l": "m"}],
    }


def test_yaml_references_are_copies() -> None:
    document = load_text("a: &p {x: [1]}\nb: *p\n", "a.yml")
    document["a"]["x"].append(2)
    assert document["b"] == {"x": [1]}


BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 10)
)


@pytest.mark.parametrize(
    ("text", "source", "told"),
    [
        ('{"a": {"b": 1, "c": 2, "b": 3}}', "", "/a/b: the name stands twice"),
        ('{"a": [{"x": 1}, {"x/y": 1, "x/y": 2}]}', "", "/a/1/x~1y"),
        ('{"a": {"b": 1, "b": 2}, "a": 1}', "", "stands twice"),
        ('{"a": [0, NaN]}', "", "/a/1: A number must be finite"),
        ('{"a": -Infinity}', "", "/a: A number must be finite"),
        ('{"a": 1e999}', "", "/a: A number must be finite"),
        ('{"a": 1e30}', "", "/a: The number is beyond"),
        ('{"a": ' + "9" * 5000 + "}", "", "too long"),
        ('{"a": \n tru}', "", "line 2, column 2"),
        ('{"a": "\\ud800"}', "", "/a: The text cannot be written as UTF-8"),
        ('{"a":' * 100 + "1" + "}" * 100, "", "nested deeper than 64"),
        ("[" * 100_000, "", "nested"),
        ('{"a": "' + "x" * 2_000_001 + '"}', "", "larger than 2,000,000"),
        ("[1]", "", "not an object"),
        ("just words", "", "not an object"),
        ("", "", "not an object"),
        ("a: 1\nb: 2\na: 3\n", "a.yaml", "'a' stands twice in the same object (line 3)"),
        ("a: .nan\n", "a.yaml", "(line 1)"),
        ("a: 1\nb: -.Inf\n", "a.yaml", "(line 2)"),
        ("a: [1, 2\n", "a.yaml", "is not valid YAML"),
        ("a: !!python/object/apply:os.system ['ls']\n", "a.yaml", "tags such as"),
        ("a: !!binary aGk=\n", "a.yaml", "tags such as"),
        ("a: &a [*a]\n", "a.yaml", "names nothing that is complete"),
        ("a: &x {b: 1}\nc: {<<: *x}\n", "a.yaml", "merging"),
        ("? [1, 2]\n: 3\n", "a.yaml", "a name must be text"),
        ("a: 1\n---\nb: 2\n", "a.yaml", "a second document"),
        ("a: " + "[" * 100 + "]" * 100, "a.yaml", "nested deeper than 64"),
        ("a: " + "{a: " * 5_000, "a.yaml", "nested deeper than 64"),
        (BOMB, "a.yaml", "references included"),
        ("a: \x07\n", "a.yaml", "not valid YAML"),
    ],
)
def test_refusals_name_the_place(text: str, source: str, told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        load_text(text, source)
    assert told in caught.value.message

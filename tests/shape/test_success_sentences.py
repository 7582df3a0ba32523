"""Every sentence of success or certainty that the product can print has a measurement behind it, and a test of that."""

import ast

import pytest

from tests.shape.source import ROOT, nodes, syntax_tree
from tests.shape.success_sentences import AGENTS, claims, claims_success, list_of, listed, missing, sentences

OWNERS = ("", *AGENTS)


@pytest.fixture(params=OWNERS, ids=["shared", *AGENTS])
def owner(request: pytest.FixtureRequest) -> str:
    """The shared layers, then each agent."""
    name = str(request.param)
    if not list_of(name).exists():
        pytest.xfail(f"{name} has no list yet")
    return name


def test_each_claim_is_listed(owner: str) -> None:
    """A new sentence of success comes with what is measured for it."""
    lacking = [f"{claim.path}:{claim.line}: {claim.sentence}" for claim in missing(owner)]
    assert not lacking, "\n".join([f"not in {list_of(owner).relative_to(ROOT)}:", *lacking])


def test_nothing_is_listed_that_is_not_said(owner: str) -> None:
    """An entry goes with its sentence."""
    said = {claim.sentence for claim in claims() if claim.owner == owner}
    stale = [entry["sentence"] for entry in listed(owner) if entry["sentence"] not in said]
    assert not stale, "\n".join(stale)


def test_each_entry_names_its_measurement_and_a_test_that_exists(owner: str) -> None:
    """`measured_by` is told in words; `test` is `path::function`, or `path::Class::function`."""
    problems = [
        f"{entry['sentence']}: {why}"
        for entry in listed(owner)
        for why in (None if len(entry["measured_by"].split()) >= 4 else "what is measured?", _no_test(entry["test"]))
        if why
    ]
    assert not problems, "\n".join(problems)


def _no_test(named: str) -> str | None:
    path, _, name = named.partition("::")
    file = ROOT / path
    if not path.startswith("tests/") or not file.is_file():
        return f"no test file {path!r}"
    functions = {
        node.name for node in nodes(syntax_tree(file)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    function = name.rpartition("::")[2].partition("[")[0]
    return None if function.startswith("test") and function in functions else f"no test {named!r}"


@pytest.mark.parametrize(
    "sentence",
    [
        "All tests pass: “{}” ended with exit code 0{}.",
        "Nothing was left out.",
        "It is so already: {} is {}.",
        "{} is not defined in this project, but used in it.",
        "No line holds {}.",
        "Phases     {}   (confidence {})",
        "The {} is valid.",
        "Page '{}' is valid: {} rules passed, nothing to fix.",
        "Everything lies within the domain's box of {} mm.",
        "{}: done",
        "Nichts wurde ausgelassen.",
        "Nothing with the name {} is defined in this project.",
        "The {} has genus {}, as designed ({}).",
        "It is at most {} away from the best possible.",
    ],
)
def test_a_claim_is_seen(sentence: str) -> None:
    """States reached, wholes, absences, certainty."""
    assert claims_success(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The arguments of {} are not valid JSON: {}",
        "There is no run {}.",
        "Is everything done?",
        "Keep the channels farther apart.",
        "Every page must be linked.",
        "If all tests pass, say so.",
        "A spec document holds JSON values only.",
        "done",
    ],
)
def test_what_claims_nothing_is_left_alone(sentence: str) -> None:
    """Failures, questions, orders, duties, conditions, and single words, which are values."""
    assert not claims_success(sentence)


def test_a_text_is_cut_into_its_sentences() -> None:
    """Each is judged by itself, without the mark of its list."""
    assert sentences("- Renamed {}. Nothing else was changed.\nWhy?") == [
        "Renamed {}.",
        "Nothing else was changed.",
        "Why?",
    ]

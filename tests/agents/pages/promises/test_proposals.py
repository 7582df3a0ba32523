"""Checks that the model proposes: read from its answer, tried on the page, taken or told back."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.agents.pages.promises.checks import BehaviourCheck
from loopwright.agents.pages.promises.replay import MAX_PROPOSED, Proposals, judge, split_promises
from tests.agents.pages.promises.pages import SHOP, app, replaced
from tests.agents.pages.studio import fenced

EDITED = replaced("</main>", '<p id="note">Fresh every day</p></main>')


def judged(*items: Any, before: str | None = SHOP, after: str = EDITED) -> tuple[int, tuple[str, ...]]:
    found = judge(Proposals(items), "index", None if before is None else app(before), app(after))
    return len(found.taken), found.refused


def test_blocks_are_cut_out_of_the_answer() -> None:
    block = fenced("promises", '[{"kind": "text", "text": "Fresh"}]')
    rest, proposals = split_promises(f"One line.\n{block}\nAnother.")
    assert "Fresh" not in rest
    assert "One line." in rest
    assert "Another." in rest
    assert proposals.items == ({"kind": "text", "text": "Fresh"},)
    assert split_promises(fenced("promises", '{"promises": [1, 2]}'))[1].items == (1, 2)
    assert split_promises(fenced("promises", "[oops"))[1].complaints
    assert split_promises(fenced("promises", '"x"'))[1].complaints
    assert split_promises("no block") == ("no block", Proposals())


def test_what_the_edit_made_is_taken() -> None:
    assert judged({"kind": "element", "selector": "#note"}) == (1, ())
    assert judged({"kind": "text", "text": "fresh every day"}) == (1, ())
    # It held before, but the edit changed the element that it speaks of.
    after = replaced("<h2>Offers</h2>", "<h2>Offers</h2><p>New</p>")
    assert judged({"kind": "element", "selector": "#offers"}, after=after) == (1, ())


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"kind": "element", "selector": "#nothing"}, "does not hold"),
        ({"kind": "element", "selector": "#offers"}, "held before this edit"),
        ({"kind": "element", "selector": "main > :nth-child(1)"}, "names a place"),
        ({"kind": "element", "selector": "<b>"}, "no CSS selector"),
        ({"kind": "element", "slug": "cart", "selector": "#lines"}, "about page cart"),
        ({"kind": "magic"}, "kind"),
        ({"kind": "element", "selector": "p", "surprise": 1}, "surprise"),
        ("p", "no JSON object"),
        ({"kind": "behaviour", "steps": [{"action": "load"}, {"action": "click", "selector": "#note"}]}, "no script"),
    ],
)
def test_what_is_not_so_is_told_back(item: Any, reason: str) -> None:
    taken, refused = judged(item)
    assert taken == 0
    assert reason in refused[0]


def test_a_behaviour_brings_its_footprint_and_never_its_own() -> None:
    item = {
        "kind": "behaviour",
        "steps": [{"action": "load"}, {"action": "click", "selector": "[data-favourite]"}],
        "expectations": [{"kind": "storage", "name": "kept"}],
        "statements": [{"digest": "0" * 16, "excerpt": "x"}],
    }
    found = judge(Proposals((item,)), "index", None, app())
    (check,) = found.taken
    assert isinstance(check, BehaviourCheck)
    assert len(check.statements) >= 3
    assert "0" * 16 not in {each.digest for each in check.statements}


def test_no_more_than_a_few() -> None:
    items = [{"kind": "element", "selector": f"[data-item={name}]"} for name in ("bread", "cake", "tea")]
    items += [
        {"kind": "text", "text": text} for text in ("Bread", "Cake", "Tea", "Offers", "Saved", "Order", "Name", "Home")
    ]
    taken, refused = judged(*items, before=None)
    assert taken == MAX_PROPOSED
    assert len(refused) == len(items) - MAX_PROPOSED


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["kind", "selector", "steps", "text"]), inner)
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_judged(data: Any) -> None:
    _, proposals = split_promises(fenced("promises", json.dumps(data)))
    judge(proposals, "index", app(), app(EDITED))

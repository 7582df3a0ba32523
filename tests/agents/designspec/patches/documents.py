"""Strategies: JSON documents, and patches that are valid on them."""

import copy
import json
from typing import Any

from hypothesis import strategies as st

from loopwright.agents.designspec.patches import apply_patch
from loopwright.agents.designspec.patches.tree import join_pointer
from loopwright.kernel.errors import InvalidInput

KEYS = st.sampled_from(["a", "b", "c", "", "~", "/", "0", "-", "id", "name", "é"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, 1.0, -2.5]), st.sampled_from(["", "x", "net_1"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=5)


def canonical(value: Any) -> str:
    """Equal only where JSON is: Python says that 1, 1.0 and true are the same."""
    return json.dumps(value, sort_keys=True)


def places(document: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place that exists in the document, the root first."""
    children = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    return [path, *(place for key, child in children for place in places(child, (*path, key)))]


def openings(document: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place where something may be added: members of objects (old and new), positions in arrays."""
    found: list[tuple[str | int, ...]] = []
    if isinstance(document, dict):
        found = [(*path, key) for key in [*document, "new", "a/b~c"]]
        children = list(document.items())
    elif isinstance(document, list):
        found = [(*path, index) for index in [*range(len(document) + 1), "-"]]
        children = list(enumerate(document))
    else:
        children = []
    return found + [place for key, child in children for place in openings(child, (*path, key))]


@st.composite
def patches(draw: st.DrawFn, document: Any, least: int = 0, most: int = 6, roots: bool = True) -> list[dict[str, Any]]:
    """Operations that can be applied one after the other; `roots` allows those on the whole document."""
    state, operations = copy.deepcopy(document), []
    for _ in range(draw(st.integers(least, most))):
        operation = draw(_operations(state, roots))
        try:
            state = apply_patch(state, [operation])
        except InvalidInput:
            continue  # a move into its own child, or the removal of the whole document
        operations.append(operation)
    return operations


@st.composite
def _operations(draw: st.DrawFn, state: Any, roots: bool) -> dict[str, Any]:
    there = [place for place in places(state) if roots or place] or [()]
    free = openings(state) + ([()] if roots else []) or [()]
    kind = draw(st.sampled_from(["add", "add", "remove", "replace", "move", "copy", "test"]))
    source = draw(st.sampled_from(there))
    target = draw(st.sampled_from(free if kind in ("add", "move", "copy") else there))
    operation: dict[str, Any] = {"op": kind, "path": join_pointer(target)}
    if kind in ("move", "copy"):
        operation["from"] = join_pointer(source)
    if kind in ("add", "replace"):
        operation["value"] = draw(VALUES)
    if kind == "test":
        value = state
        for token in target:
            value = value[token]
        operation["value"] = copy.deepcopy(value)
    return operation

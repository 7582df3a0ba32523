"""Answers about an element that depend on everything around it."""

from collections.abc import Callable
from typing import TypeVar

from selectolax.lexbor import LexborNode

from loopwright.agents.pages.compliance.cascade.computed import element_parent

Answer = TypeVar("Answer")


def from_root_down(
    node: LexborNode, known: dict[int, Answer], outermost: Answer, step: Callable[[Answer, LexborNode], Answer]
) -> Answer:
    """What an answer has become on the way from the root to an element.

    Each element's answer is kept in `known`, or deep pages would take quadratic time.

    Args:
        node: the element that is asked about.
        known: the answers so far, by `mem_id`; those on the way are added.
        outermost: what holds around the root.
        step: makes an element's answer out of its parent's.
    """
    chain: list[LexborNode] = []
    current: LexborNode | None = node
    while current is not None and current.mem_id not in known:
        chain.append(current)
        current = element_parent(current)
    answer = outermost if current is None else known[current.mem_id]
    for element in reversed(chain):
        answer = known[element.mem_id] = step(answer, element)
    return answer

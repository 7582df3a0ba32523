"""What of a request an endpoint has read before, as a prompt cache counts it: tools first, then message by message."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from pydantic_core import to_json

from loopwright.models.prices import count_tokens


def prompt_of(body: Mapping[str, Any]) -> str:
    """The prompt in the order in which endpoints read it."""
    told = [body.get("tools") or [], *body["messages"]]
    return "\n".join(to_json(part).decode() for part in told)


def prompt_size(body: Mapping[str, Any]) -> int:
    """The tokens of a request's prompt, counted in OpenAI's encoding."""
    return count_tokens(prompt_of(body))


def cached_share(bodies: Sequence[Mapping[str, Any]]) -> list[float]:
    """For each request but the first, the share of its prompt's tokens that begins an earlier one."""
    prompts = [prompt_of(body) for body in bodies]
    shares = []
    for index, prompt in enumerate(prompts[1:], 1):
        known = max(_common(prompt, earlier) for earlier in prompts[:index])
        shares.append(count_tokens(prompt[:known]) / count_tokens(prompt))
    return shares


def kept_share(bodies: Sequence[Mapping[str, Any]]) -> list[float]:
    """For each request but the first, the share of the prompt before it with which it begins, too."""
    prompts = [prompt_of(body) for body in bodies]
    return [count_tokens(after[: _common(before, after)]) / count_tokens(before) for before, after in pairwise(prompts)]


def _common(one: str, other: str) -> int:
    """How many characters the two begin with in common."""
    differing = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return next(differing, min(len(one), len(other)))

"""Remembers what was made of an object for as long as the object itself lives."""

import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class IdentityCache(Generic[K, V]):
    """A function's results by the identity of its argument.

    By identity, because comparing or hashing a long message or a tool schema costs more than it saves, and because
    messages never change.
    """

    def __init__(self, make: Callable[[K], V]) -> None:
        """Take the function; it is called once per object."""
        self._make = make
        self._made: dict[int, tuple[weakref.ref[K], V]] = {}

    def get(self, key: K) -> V:
        """The result for this very object."""
        name = id(key)
        found = self._made.get(name)
        if found is not None:
            return found[1]
        made = self._make(key)
        self._made[name] = (weakref.ref(key, lambda _: self._made.pop(name, None)), made)
        return made

    def forget(self, key: K) -> None:
        """Make it anew when it is asked for again."""
        self._made.pop(id(key), None)

    def __len__(self) -> int:
        """How many objects are remembered."""
        return len(self._made)

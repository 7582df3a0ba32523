"""Things that belong together because a chain of joins connects them (union–find)."""

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Member = TypeVar("Member", bound=Hashable)


class Groups(Generic[Member]):
    """Groups of members; at first each is alone. The order of members decides all orders."""

    def __init__(self, members: Iterable[Member]) -> None:
        """Begin with each member alone."""
        self._above: dict[Member, Member] = {member: member for member in members}

    def leader(self, member: Member) -> Member:
        """The member that stands for the group."""
        while self._above[member] != member:
            self._above[member] = self._above[self._above[member]]
            member = self._above[member]
        return member

    def join(self, first: Member, second: Member) -> None:
        """Make one group of two."""
        self._above[self.leader(second)] = self.leader(first)

    def all(self) -> list[list[Member]]:
        """The groups, each in the order of its members."""
        together: dict[Member, list[Member]] = {}
        for member in self._above:
            together.setdefault(self.leader(member), []).append(member)
        return list(together.values())

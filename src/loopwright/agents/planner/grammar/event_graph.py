"""The beginnings and ends of nodes as one graph: an arrow means "not before".

A node begins before it ends; a child begins not before its parent and ends not after it; each dependency ties one of
the two ends of a node to one of the other's. A loop in this graph is a plan that nobody can carry out, even where no
node depends on itself by name: a phase after another whose task waits for a task of the first.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from uuid import UUID

from loopwright.agents.planner.contracts.plan import Dependency, DependencyType, PlanNode

Moment = tuple[UUID, bool]
"""A node's end (True) or its beginning."""
ENDS: dict[DependencyType, tuple[bool, bool]] = {
    "finish_to_start": (True, False),
    "start_to_start": (False, False),
    "finish_to_finish": (True, True),
    "start_to_finish": (False, True),
}


@dataclass(frozen=True)
class Tie:
    """A dependency as an arrow: `node` waits for `dependency.node_id`."""

    node: PlanNode
    dependency: Dependency

    @property
    def source(self) -> Moment:
        """What has to come first."""
        return (self.dependency.node_id, ENDS[self.dependency.type][0])

    @property
    def target(self) -> Moment:
        """What waits."""
        return (self.node.id, ENDS[self.dependency.type][1])


class EventGraph:
    """Arrows between moments; those that ties make can be taken out again."""

    def __init__(self, root_id: UUID | None, nodes: Iterable[PlanNode], ties: Iterable[Tie] = ()) -> None:
        """Draw the arrows that the tree makes, where nothing is above the root, and those of the ties."""
        self._after: dict[Moment, set[Moment]] = defaultdict(set)
        for node in nodes:
            self._after[node.id, False].add((node.id, True))
            if node.parent_id is not None and node.id != root_id:
                self._after[node.parent_id, False].add((node.id, False))
                self._after[node.id, True].add((node.parent_id, True))
        for tie in ties:
            self._after[tie.source].add(tie.target)

    def add(self, tie: Tie) -> None:
        """Draw the arrow of a further tie."""
        self._after[tie.source].add(tie.target)

    def remove(self, tie: Tie) -> None:
        """Take the arrow of a tie out; two different ties never make the same one, nor one that the tree makes."""
        self._after[tie.source].discard(tie.target)

    def shortest_path(self, source: Moment, target: Moment) -> list[Moment] | None:
        """The shortest path of arrows, both ends included, or None."""
        before: dict[Moment, Moment | None] = {source: None}
        queue = deque([source])
        while queue:
            here = queue.popleft()
            if here == target:
                path: list[Moment] = []
                step: Moment | None = here
                while step is not None:
                    path.append(step)
                    step = before[step]
                return path[::-1]
            for following in sorted(self._after.get(here, ())):
                if following not in before:
                    before[following] = here
                    queue.append(following)
        return None

    def loop(self) -> list[Moment] | None:
        """Some loop, in order, or None where there is none."""
        left = self._tangled()
        if not left:
            return None
        place: dict[Moment, int] = {}
        path: list[Moment] = []
        here = min(left)
        # Every moment that is left has an arrow to another one that is left, so the walk comes back on itself.
        while here not in place:
            place[here] = len(path)
            path.append(here)
            here = min(self._after[here] & left)
        return path[place[here] :]

    def in_order(self, places: Mapping[UUID, int]) -> list[Moment]:
        """The moments so that every arrow points onwards; of those that are free the one with the first place next.

        Moments on loops, and those behind them, are left out.
        """
        waits: dict[Moment, int] = defaultdict(int)
        for targets in self._after.values():
            for target in targets:
                waits[target] += 1
        free = [(places[moment[0]], moment) for moment in self._after if not waits[moment] and moment[0] in places]
        heapify(free)
        order: list[Moment] = []
        while free:
            _, moment = heappop(free)
            order.append(moment)
            for target in self._after.get(moment, ()):
                waits[target] -= 1
                if not waits[target] and target[0] in places:
                    heappush(free, (places[target[0]], target))
        return order

    def _tangled(self) -> set[Moment]:
        """The moments from which every walk can go on for ever: what is left when all that ends is peeled off."""
        against: dict[Moment, list[Moment]] = defaultdict(list)
        left: dict[Moment, int] = {}
        for source, targets in self._after.items():
            left[source] = len(targets)
            for target in targets:
                against[target].append(source)
                left.setdefault(target, 0)
        ended = [moment for moment in left if not len(self._after.get(moment, ()))]
        while ended:
            moment = ended.pop()
            del left[moment]
            for source in against[moment]:
                left[source] -= 1
                if not left[source]:
                    ended.append(source)
        return set(left)

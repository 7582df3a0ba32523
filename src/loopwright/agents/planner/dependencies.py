"""Who waits for whom: what was said, what goes without saying, and nothing twice."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from loopwright.agents.planner.contracts.plan import Dependency, DependencyType, Outline, PlanNode
from loopwright.agents.planner.grammar.event_graph import EventGraph, Tie
from loopwright.agents.planner.grammar.waiting import Tree, dependency_violations
from loopwright.kernel.errors import InvalidInput

SEQUENTIAL = frozenset({"phase", "sub_goal"})
WORK = frozenset({"task", "sub_task"})


@dataclass(frozen=True)
class Requested:
    """`node` shall wait for `on`; both are ids, short ids or exact titles."""

    node: str
    on: str
    type: DependencyType = "finish_to_start"
    lag_lead_minutes: int = 0


@dataclass
class Resolved:
    """The nodes with their dependencies, and what was done to them (pairs: the one that waits, the one waited for)."""

    nodes: list[PlanNode]
    inferred: list[tuple[UUID, UUID]] = field(default_factory=list)
    dropped: list[tuple[UUID, UUID]] = field(default_factory=list)
    order: list[UUID] = field(default_factory=list)


def resolve_dependencies(outline: Outline, requests: Iterable[Requested] = (), *, infer: bool = True) -> Resolved:
    """Add what is asked for, infer what goes without saying, and leave out what follows from the rest.

    Args:
        outline: a valid outline.
        requests: further dependencies.
        infer: where no order is said among siblings, take the order in which they are written.

    Returns:
        Nodes in the outline's order; `order` is one in which the leaves can be done.

    Raises:
        InvalidInput: a request names nobody, or makes a dependency that the grammar refuses.
    """
    nodes = {node.id: node for node in outline.nodes}
    names = _names(outline.nodes)
    for request in requests:
        node, other = _named(names, request.node), _named(names, request.on)
        dependency = Dependency(node_id=other, type=request.type, lag_lead_minutes=request.lag_lead_minutes)
        kept = [item for item in nodes[node].dependencies if (item.node_id, item.type) != (other, request.type)]
        nodes[node] = nodes[node].model_copy(update={"dependencies": [*kept, dependency]})
    tree = Tree(outline.root_id, list(nodes.values()))
    problems = [violation.message for violation in dependency_violations(tree)]
    if problems:
        raise InvalidInput(" ".join(problems[:3]), hint="Take one of these dependencies away.")
    inferred = _infer(tree) if infer else []
    for waiting, first in inferred:
        dependency = Dependency(node_id=first)
        node_with = nodes[waiting]
        nodes[waiting] = node_with.model_copy(update={"dependencies": [*node_with.dependencies, dependency]})
    dropped = _reduce(nodes)
    resolved = list(nodes.values())
    return Resolved(resolved, inferred, dropped, work_order(outline.root_id, resolved))


def work_order(root_id: UUID, nodes: Sequence[PlanNode]) -> list[UUID]:
    """The leaves in an order in which they can be begun; where there is a choice, as they are written."""
    tree = Tree(root_id, nodes)
    if tree.root is None:
        return []
    walked = list(tree.walk(tree.root))
    places = {node.id: place for place, node in enumerate(walked)}
    ties = [Tie(node, item) for node in walked for item in node.dependencies if item.node_id in places]
    moments = EventGraph(root_id, walked, ties).in_order(places)
    return [node_id for node_id, end in moments if not end and tree.is_leaf(tree.nodes[node_id])]


def recurs(node: PlanNode) -> bool:
    """Whether the node itself comes again and again."""
    return node.recurrence != "none" or bool(node.metadata.get("rrule"))


def _names(nodes: Iterable[PlanNode]) -> dict[str, list[UUID]]:
    names: dict[str, list[UUID]] = {}
    for node in nodes:
        for name in dict.fromkeys((str(node.id), str(node.metadata.get("short_id", node.id)), node.title.casefold())):
            names.setdefault(name, []).append(node.id)
    return names


def _named(names: Mapping[str, list[UUID]], name: str) -> UUID:
    found = names.get(name) or names.get(name.casefold()) or []
    if len(found) != 1:
        problem = "more than one node" if found else "no node"
        raise InvalidInput(f"There is {problem} {name[:80]!r}.", hint="Name nodes by the id that you gave them.")
    return found[0]


def _infer(tree: Tree) -> list[tuple[UUID, UUID]]:
    """Siblings in the order in which they are written, stream by stream, where nothing is said about their order.

    What recurs waits for nobody and keeps nobody waiting: it runs beside the rest. `metadata.parallel` says that a
    node may be done at any time.
    """
    said = [Tie(node, item) for node in tree.nodes.values() for item in node.dependencies]
    found = [Tie(node, Dependency(node_id=before.id)) for node, before in _in_written_order(tree)]
    nodes = list(tree.nodes.values())
    if EventGraph(tree.root_id, nodes, [*said, *found]).loop() is not None:
        # Rare: some of what is said runs against the written order, so each one is looked at by itself.
        graph = EventGraph(tree.root_id, nodes, said)
        candidates, found = found, []
        for tie in candidates:
            if graph.shortest_path(tie.target, tie.source) is None:
                graph.add(tie)
                found.append(tie)
    return [(tie.node.id, tie.dependency.node_id) for tie in found]


def _in_written_order(tree: Tree) -> Iterator[tuple[PlanNode, PlanNode]]:
    """Each sibling that takes its turn, with the one before it in its stream."""
    for children in tree.children.values():
        for kinds in (SEQUENTIAL, WORK):
            siblings = [node for node in children if node.node_type in kinds and _waits_its_turn(node)]
            ids = {node.id for node in siblings}
            if any(item.node_id in ids for node in siblings for item in node.dependencies):
                continue
            streams: dict[str, PlanNode] = {}
            for node in siblings:
                stream = str(node.metadata.get("stream") or "")
                if stream in streams:
                    yield node, streams[stream]
                streams[stream] = node


def _waits_its_turn(node: PlanNode) -> bool:
    return not recurs(node) and not node.metadata.get("parallel")


def _reduce(nodes: dict[UUID, PlanNode]) -> list[tuple[UUID, UUID]]:
    """Leave out plain finish-to-start dependencies that follow from others, in place.

    Only paths of finish-to-start with a lag of at least nothing count: along these the end of the first is never
    after the beginning of the last.
    """
    places = {node_id: place for place, node_id in enumerate(nodes)}
    before: dict[UUID, int] = {}
    dropped: list[tuple[UUID, UUID]] = []
    for node_id in _chain_order(nodes):
        node = nodes[node_id]
        firm = [item for item in node.dependencies if _firm(item) and item.node_id in nodes]
        kept = []
        for item in node.dependencies:
            follows = (
                item in firm
                and not item.lag_lead_minutes
                and any(
                    other.node_id != item.node_id and before[other.node_id] >> places[item.node_id] & 1
                    for other in firm
                )
            )
            if follows:
                dropped.append((node_id, item.node_id))
            else:
                kept.append(item)
        reach = 0
        for item in firm:
            reach |= before[item.node_id] | 1 << places[item.node_id]
        before[node_id] = reach
        if len(kept) < len(node.dependencies):
            nodes[node_id] = node.model_copy(update={"dependencies": kept})
    return dropped


def _firm(item: Dependency) -> bool:
    return item.type == "finish_to_start" and item.lag_lead_minutes >= 0


def _chain_order(nodes: Mapping[UUID, PlanNode]) -> list[UUID]:
    """The nodes, each after those it firmly waits for; there are no loops any more."""
    waiting = {
        node_id: {item.node_id for item in node.dependencies if _firm(item) and item.node_id in nodes}
        for node_id, node in nodes.items()
    }
    followers: dict[UUID, list[UUID]] = {}
    for node_id, firsts in waiting.items():
        for first in firsts:
            followers.setdefault(first, []).append(node_id)
    ready = [node_id for node_id, firsts in waiting.items() if not firsts]
    for node_id in ready:
        for follower in followers.get(node_id, ()):
            waiting[follower].discard(node_id)
            if not waiting[follower]:
                ready.append(follower)
    return ready

"""Tubes: the void that a network of channels leaves."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from manifold3d import Error, Manifold, Mesh64, OpType
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from loopwright.agents.designspec.document.policies import Policies
from loopwright.agents.designspec.geometry.channels import area_factor, turned, unit_circle
from loopwright.agents.designspec.network import Floats, Ints, Network, Opening, Progress, silent
from loopwright.agents.designspec.network.proximity import Rods, near_pairs, rods_of, surface_gaps

# Chains: a network taken apart into runs of segments that can be swept in one piece.

SHARPEST_BEND = math.cos(math.radians(95))
"""Cosine of the bend up to which two segments are swept together."""
SMALLEST_RATIO = 0.4
"""How much thinner the next segment of a chain may be."""
SHARE_OF_LENGTH = 0.95
"""How much of a segment its two joints may take up; more would fold the surface over itself."""
WIDER = 1.03
"""Radii within which a chain may not come back to itself; its polygons stand out a little."""
SHORTEST = 1e-9
"""Segments shorter than this, in metres, have no direction; their nodes are taken for one."""


@dataclass(frozen=True)
class Chain:
    """A run of segments from node to node.

    `nodes` is (k + 1,), `radii` is (k, 2) in the order of travel. `leads` says for the start and for the end whether
    the thickest tube of that node ends here; the others end inside its ball.
    """

    nodes: Ints
    radii: Floats
    leads: tuple[bool, bool]


@dataclass(frozen=True)
class _Ends:
    """The 2m ends of m segments: end 2i is the start of segment i, end 2i + 1 its end."""

    node: Ints
    radius: Floats
    inward: Floats
    length: Floats


def joint_reach(thick: float, thin: float, cosine: float) -> float:
    """How far a joint reaches along its segments, in metres; `cosine` is that of the bend."""
    crease = thick * math.sqrt(max(0.0, 1.0 - cosine) / (1.0 + cosine))
    return max(crease, math.sqrt(max(0.0, thick * thick - thin * thin)))


def chains_of(network: Network) -> list[Chain]:
    """Take the network apart; every segment lies in exactly one chain. The order depends on the network alone."""
    node, kept = _contracted(network)
    if not len(kept):
        return []
    ends = _ends_of(network, node, kept)
    order = np.lexsort((np.arange(len(ends.node)), -ends.radius, ends.node))
    groups = np.split(order, np.flatnonzero(np.diff(ends.node[order])) + 1)
    partner = np.full(len(ends.node), -1, dtype=np.int64)
    lead = np.zeros(len(ends.node), dtype=bool)
    for group in groups:
        lead[group[0]] = True
        other = _continuation(ends, group)
        if other >= 0:
            partner[group[0]], partner[other] = other, group[0]
    _give_space(ends, partner)
    runs = _parted(_walk(ends, partner), ends, rods_of(network).take(kept))
    return [_chain(run, ends, lead) for run in runs]


def _contracted(network: Network) -> tuple[Ints, Ints]:
    """The node that stands for each node once segments without length are gone, and the segments that stay."""
    count = len(network.positions)
    short = network.lengths < SHORTEST
    first, second = network.segments[short].T
    graph = coo_array((np.ones(len(first)), (first, second)), shape=(count, count))
    _, label = connected_components(graph, directed=False)
    _, representative = np.unique(label, return_index=True)
    return np.asarray(representative[label], dtype=np.int64), np.flatnonzero(~short)


def _ends_of(network: Network, node: Ints, kept: Ints) -> _Ends:
    nodes = node[network.segments[kept]]
    along = network.positions[nodes[:, 1]] - network.positions[nodes[:, 0]]
    lengths = np.linalg.norm(along, axis=1)
    unit = along / lengths[:, None]
    return _Ends(
        node=nodes.reshape(-1),
        radius=network.radii[kept].reshape(-1),
        inward=np.stack([unit, -unit], axis=1).reshape(-1, 3),
        length=np.repeat(lengths, 2),
    )


def _continuation(ends: _Ends, group: Ints) -> int:
    """Which end goes on from the thickest one of a node, or −1: the thickest that bends little enough."""
    lead = group[0]
    best, best_rank = -1, (0.0, 0.0)
    for other in group[1:]:
        cosine = float(-ends.inward[lead] @ ends.inward[other])
        ratio = float(ends.radius[other] / ends.radius[lead])
        if cosine < SHARPEST_BEND or ratio < SMALLEST_RATIO:
            continue
        reach = joint_reach(float(ends.radius[lead]), float(ends.radius[other]), cosine)
        if reach > SHARE_OF_LENGTH * min(ends.length[lead], ends.length[other]):
            continue
        rank = (round(ratio, 6), cosine)
        if best < 0 or rank > best_rank:
            best, best_rank = int(other), rank
    return best


def _give_space(ends: _Ends, partner: Ints) -> None:
    """Part the wider joint of every segment whose two joints do not fit into its length."""
    reach = np.zeros(len(partner))
    for end in np.flatnonzero(partner >= 0):
        other = partner[end]
        radii = sorted((float(ends.radius[end]), float(ends.radius[other])))
        reach[end] = joint_reach(radii[1], radii[0], float(-ends.inward[end] @ ends.inward[other]))
    for start in range(0, len(partner), 2):
        if reach[start] + reach[start + 1] <= SHARE_OF_LENGTH * ends.length[start]:
            continue
        wider = start if reach[start] >= reach[start + 1] else start + 1
        other = partner[wider]
        partner[[wider, other]] = -1
        reach[[wider, other]] = 0.0


def _walk(ends: _Ends, partner: Ints) -> list[list[int]]:
    """The runs of segments: for each segment in turn the end at which it is entered."""
    used = np.zeros(len(partner) // 2, dtype=bool)
    loose = np.flatnonzero(partner < 0)
    runs = []
    for first in [*loose.tolist(), *range(len(partner))]:
        if used[first // 2]:
            continue
        if partner[first] >= 0:  # a ring without any end is cut open here
            partner[partner[first]], partner[first] = -1, -1
        run = [first]
        used[first // 2] = True
        while (following := int(partner[run[-1] ^ 1])) >= 0:
            run.append(following)
            used[following // 2] = True
        runs.append(run)
    return runs


def _parted(runs: list[list[int]], ends: _Ends, rods: Rods) -> list[list[int]]:
    """The runs, parted where one comes back to itself.

    One surface cannot be united with itself, but two can. Neighbours overlap at their joint, and so do segments less
    than a half turn of the tube apart; `joint_reach` sees to it that these do not fold.
    """
    order = np.array([end // 2 for run in runs for end in run])
    owner = np.repeat(np.arange(len(runs)), [len(run) for run in runs])
    entered = np.array([end for run in runs for end in run])
    travelled = np.cumsum(ends.length[entered])
    wide = Rods(rods.starts[order], rods.ends[order], WIDER * rods.radii[order])
    pairs = near_pairs(wide, None, 0.0)
    pairs = pairs[(owner[pairs[:, 0]] == owner[pairs[:, 1]]) & (pairs[:, 1] - pairs[:, 0] > 1)]
    if not len(pairs):
        return runs
    first, second = wide.take(pairs[:, 0]), wide.take(pairs[:, 1])
    apart = travelled[pairs[:, 1] - 1] - travelled[pairs[:, 0]]
    far = apart > math.pi * np.maximum(first.thickest, second.thickest)
    nodes = np.stack([ends.node[entered], ends.node[entered ^ 1]], axis=1)
    meets = (nodes[pairs[:, 0]][:, :, None] == nodes[pairs[:, 1]][:, None, :]).any(axis=(1, 2))
    pairs = pairs[meets | (far & (surface_gaps(first, second)[0] < 0))]
    cuts: set[int] = set()
    last = -1
    for one, two in sorted(map(tuple, pairs.tolist()), key=lambda pair: pair[1]):
        if last <= one:  # no cut lies between the two yet
            cuts.add(last := two)
    starts = np.concatenate([[0], np.cumsum([len(run) for run in runs])])
    return [
        part.tolist()
        for i in range(len(runs))
        for part in np.split(entered[starts[i] : starts[i + 1]], [c - starts[i] for c in sorted(cuts) if owner[c] == i])
    ]


def _chain(run: list[int], ends: _Ends, lead: NDArray[np.bool_]) -> Chain:
    entered = np.array(run)
    nodes = np.concatenate([ends.node[entered], ends.node[entered[-1:] ^ 1]])
    radii = np.stack([ends.radius[entered], ends.radius[entered ^ 1]], axis=1)
    return Chain(nodes, radii, (bool(lead[run[0]]), bool(lead[run[-1] ^ 1])))


# Sweeping: the closed surface of a ball rolled along a chain, made of rings of equally many corners.

MITRE_LIMIT = math.cos(math.radians(15))
"""Bends below 15° get one ring; its outer corner stands out by less than 0.9 % of the radius."""
ARC_STEP = math.radians(30)

Rings = list[tuple[Floats, np.ndarray]]
"""Rings in order: corners (n, 3), and which of them are those of the ring before."""


@dataclass(frozen=True)
class Cap:
    """How a tube ends: a half ball, or flat. `normal` is that of the flat end's plane where it is not upright."""

    kind: Literal["round", "flat"]
    normal: Floats | None = None


def swept(points: Floats, radii: Floats, caps: tuple[Cap, Cap], sections: int) -> Manifold:
    """The tube along `points` (k + 1, 3) with `radii` (k, 2): at the start and the end of each of the k segments.

    At a bend the outer side is rounded and the inner side creased; where the next segment is thinner, the thicker one
    ends in a ball. So the tube is that of a ball rolled along, in one piece; only where a bend and a step meet, up to a
    tenth of the radius is missing in the inner corner of the bend.
    """
    along = np.diff(points, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    corner_radii = radii * area_factor(sections)
    circle = unit_circle(along[0], sections)
    rings: Rings = []
    poles = np.empty((2, 3))
    poles[0] = _begin(rings, points[0], along[0], float(corner_radii[0, 0]), circle, caps[0])
    for i in range(1, len(along)):
        before, after = along[i - 1], along[i]
        thick, thin = float(corner_radii[i - 1, 1]), float(corner_radii[i, 0])
        following = turned(circle, before, after)
        if thick >= thin:
            rings += _joint(points[i], (before, after), (thick, thin), circle)
        else:
            rings += _reversed(_joint(points[i], (-after, -before), (thin, thick), following))
        circle = following / np.linalg.norm(following, axis=1)[:, None]
    poles[1] = _finish(rings, points[-1], along[-1], float(corner_radii[-1, 1]), circle, caps[1])
    return Manifold(_skinned(rings, poles, sections))


def _begin(rings: Rings, place: Floats, along: Floats, radius: float, circle: Floats, cap: Cap) -> Floats:
    """Append the rings of the start; the result is its pole."""
    mirrored: Rings = []
    pole = _finish(mirrored, place, -along, radius, circle, cap)
    rings += mirrored[::-1]
    return pole


def _finish(rings: Rings, place: Floats, along: Floats, radius: float, circle: Floats, cap: Cap) -> Floats:
    fresh = np.zeros(len(circle), dtype=bool)
    if cap.kind == "flat":
        lean = np.zeros(len(circle)) if cap.normal is None else (circle @ cap.normal) / (along @ cap.normal)
        rings.append((place + radius * (circle - np.outer(lean, along)), fresh))
        return place
    steps = max(2, len(circle) // 8)
    for i in range(steps):
        angle = math.pi / 2 * i / steps
        rings.append((place + radius * (math.cos(angle) * circle + math.sin(angle) * along), fresh))
    return np.asarray(place + radius * along)


def _joint(place: Floats, along: tuple[Floats, Floats], radii: tuple[float, float], circle: Floats) -> Rings:
    """The rings of a bend from a thick segment to one that is no thicker."""
    before, after = along
    thick, thin = radii
    cosine = float(np.clip(before @ after, -1.0, 1.0))
    forward = (circle @ after) / (1.0 + cosine)
    fresh = np.zeros(len(circle), dtype=bool)
    following = turned(circle, before, after)
    mitre = place + thick * (circle - np.outer(forward, before))
    if cosine >= MITRE_LIMIT:
        rings: Rings = [(mitre, fresh)]
        inner = forward
    else:
        inner = np.maximum(forward, 0.0)
        creased = forward >= 0.0
        bend = math.acos(cosine)
        steps = math.ceil(bend / ARC_STEP)
        rings = []
        for i in range(steps + 1):
            angle = bend * i / steps
            heading = (math.sin(bend - angle) * before + math.sin(angle) * after) / math.sin(bend)
            arc = place + thick * turned(circle, before, heading)
            rings.append((np.where(creased[:, None], mitre, arc), creased if i else fresh))
    if thin < thick:
        widest = math.acos(thin / thick)
        steps = max(1, math.ceil(widest / ARC_STEP))
        for i in range(1, steps + 1):
            angle = widest * i / steps
            ahead = np.maximum(math.sin(angle), inner)
            rings.append((place + thick * (math.cos(angle) * following + np.outer(ahead, after)), fresh))
    return rings


def _reversed(rings: Rings) -> Rings:
    """The same rings for who comes from the other side; what was shared with the ring before is so with the next."""
    corners = [ring for ring, _ in rings][::-1]
    shared = [same for _, same in rings][::-1]
    return list(zip(corners, [np.zeros_like(shared[0]), *shared[:-1]], strict=True))


def _skinned(rings: Rings, poles: Floats, sections: int) -> Mesh64:
    count = len(rings) * sections
    index = np.arange(count).reshape(len(rings), sections)
    for i, (_, shared) in enumerate(rings):
        index[i, shared] = index[i - 1, shared]
    near, far = index[:-1], index[1:]
    near_next, far_next = np.roll(near, -1, axis=1), np.roll(far, -1, axis=1)
    first, last = index[0], index[-1]
    faces = np.concatenate(
        [
            np.stack([near, near_next, far_next], axis=-1).reshape(-1, 3),
            np.stack([near, far_next, far], axis=-1).reshape(-1, 3),
            np.stack([np.full(sections, count), np.roll(first, -1), first], axis=-1),
            np.stack([np.full(sections, count + 1), last, np.roll(last, -1)], axis=-1),
        ]
    )
    degenerate = (faces[:, 0] == faces[:, 1]) | (faces[:, 1] == faces[:, 2]) | (faces[:, 2] == faces[:, 0])
    vertices = np.concatenate([*(ring for ring, _ in rings), poles])
    return _without_unused(vertices, faces[~degenerate])


def _without_unused(vertices: Floats, faces: Ints) -> Mesh64:
    used, compact = np.unique(faces, return_inverse=True)
    return Mesh64(np.ascontiguousarray(vertices[used]), compact.reshape(-1, 3).astype(np.uint64))


STEEPEST_PORT = 0.7
"""Cosine of the angle between a port's direction and its tube, below which the flat end is upright on the tube."""


def void_of_network(
    network: Network,
    policies: Policies,
    *,
    caps: Literal["round", "flat"] = "round",
    progress: Progress = silent,
    openings: Sequence[Opening] = (),
    sections: int | None = None,
) -> Manifold:
    """One closed surface around all channels of the network.

    Chains of segments are swept in one piece each and united by one flat boolean. All tubes that meet at a node
    contain it, and each is star-shaped around it; so the union has no handle but the cycles of the graph, as long as
    segments that share no node keep apart.

    Args:
        network: centre lines and radii, in metres.
        policies: the sections of a round, from `mesh_synthesis` (round caps) or `channels` (flat caps).
        caps: how tubes end inside the domain; flat ones end exactly at the last point. Ports always end flat.
        progress: told before and after the union.
        openings: where given, the end at a port lies in the plane upright on the port's direction.
        sections: corners of a round, instead of the policies'.

    Raises:
        ValueError: the network has no segment, or a tube did not close, which is a defect of this program.
    """
    count = sections or (policies.channels if caps == "flat" else policies.mesh_synthesis).radial_sections
    chains = chains_of(network)
    if not chains:
        raise ValueError("the network has no segment of any length")
    ports = _port_normals(network, openings)
    degree = np.bincount(network.segments.reshape(-1), minlength=len(network.positions))
    progress(0.0, f"sweeping {len(chains)} chains")
    parts = []
    for chain in chains:
        points = network.positions[chain.nodes]
        ends = _caps_of(chain, points, caps, ports, degree)
        parts.append(swept(points, chain.radii, ends, count))
    progress(0.2, f"uniting {len(parts)} tubes")
    void = Manifold.batch_boolean(parts, OpType.Add)
    if void.status() != Error.NoError or not void.num_tri():
        raise ValueError(f"the union of {len(parts)} tubes failed: {void.status()}")
    progress(1.0, f"{void.num_tri()} triangles")
    return void


def _port_normals(network: Network, openings: Sequence[Opening]) -> dict[int, Floats | None]:
    """The nodes of ports, with the direction of the port where it is known."""
    directions = {opening.name: np.array(opening.direction) for opening in openings if opening.surface}
    return {node: directions.get(name) for name, node in network.ports.items()}


def _caps_of(
    chain: Chain,
    points: Floats,
    kind: Literal["round", "flat"],
    ports: dict[int, Floats | None],
    degree: np.ndarray,
) -> tuple[Cap, Cap]:
    found = []
    for node, lead, along in (
        (0, chain.leads[0], points[1] - points[0]),
        (-1, chain.leads[1], points[-1] - points[-2]),
    ):
        number = int(chain.nodes[node])
        if degree[number] > 1:
            found.append(Cap("round" if lead else "flat"))
        elif number in ports:
            found.append(Cap("flat", _plane(ports[number], along / np.linalg.norm(along))))
        else:
            found.append(Cap(kind))
    return found[0], found[1]


def _plane(direction: Floats | None, along: Floats) -> Floats | None:
    return direction if direction is not None and abs(direction @ along) >= STEEPEST_PORT else None

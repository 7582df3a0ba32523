"""Tidying a network: joining near nodes, cutting short ends, and fewer segments for the same shape."""

from itertools import pairwise

import numpy as np
from scipy.spatial import cKDTree

from loopwright.agents.designspec.document.policies.growth import NetworkCleanupPolicy
from loopwright.agents.designspec.network.network import Floats, Ints, Network
from loopwright.agents.designspec.network.surgery import keep_segments, name_nodes

STRAIGHT = 1e-6
"""How far a dropped node may lie from the straight way, and its radius from the even taper, as shares of the radius."""


def clean_network(network: Network, policy: NetworkCleanupPolicy) -> Network:
    """Snap, prune and merge as the policy says; then drop nodes in the middle of straight, evenly tapering channels.

    Snapping joins the ends of branches with nodes that come near, merging joins nodes that are doubles of each other;
    both may close rings, which the network's facts then count.
    """
    if not len(network.segments):
        return network
    if policy.enable_snap:
        degree = np.bincount(network.segments.ravel(), minlength=len(network.positions))
        network = _welded(network, policy.snap_tol, np.flatnonzero(degree <= 1))
    if policy.enable_prune:
        network = _pruned(network, policy.min_segment_length)
    if policy.enable_merge:
        network = _welded(network, policy.merge_tol, np.arange(len(network.positions)))
    return straightened(network)


def _welded(network: Network, tolerance: float, movable: Ints) -> Network:
    """Each movable node becomes the nearest node with a lower number within the tolerance; ports stay themselves."""
    ports = set(network.ports.values())
    target = np.arange(len(network.positions))
    tree = cKDTree(network.positions)
    for node in movable.tolist():
        near = [other for other in tree.query_ball_point(network.positions[node], tolerance) if other != node]
        near = [other for other in near if target[other] == other and (other < node or node not in movable)]
        if node in ports or not near:
            continue
        target[node] = min(
            near, key=lambda other: (float(np.linalg.norm(network.positions[other] - network.positions[node])), other)
        )
    segments = target[network.segments]
    kept = segments[:, 0] != segments[:, 1]
    first = np.unique(np.sort(segments, axis=1), axis=0, return_index=True)[1]
    once = np.zeros(len(segments), dtype=bool)
    once[first] = True
    welded = Network(
        network.positions, segments, network.radii, network.node_types, network.vessel_types, network.ports
    )
    return keep_segments(welded, kept & once)


def _pruned(network: Network, shortest: float) -> Network:
    """Without end branches that are shorter than this from their junction to their tip."""
    degree = np.bincount(network.segments.ravel(), minlength=len(network.positions))
    ports = set(network.ports.values())
    parent = np.full(len(network.positions), -1, dtype=np.int64)
    parent[network.segments[:, 1]] = np.arange(len(network.segments))
    kept = np.ones(len(network.segments), dtype=bool)
    lengths = network.lengths
    for tip in np.flatnonzero(degree == 1).tolist():
        way: list[int] = []
        node, length = tip, 0.0
        while node not in ports and parent[node] >= 0 and (node == tip or degree[node] == 2):
            way.append(int(parent[node]))
            length += float(lengths[way[-1]])
            node = int(network.segments[way[-1], 0])
        if node not in ports and degree[node] > 2 and length < shortest:
            kept[way] = False
    return keep_segments(network, kept)


def straightened(network: Network) -> Network:
    """The same shape with fewer segments: nodes on straight ways with an even taper are left out."""
    incoming = np.bincount(network.segments[:, 1], minlength=len(network.positions))
    outgoing = np.bincount(network.segments[:, 0], minlength=len(network.positions))
    ports = np.zeros(len(network.positions), dtype=bool)
    ports[list(network.ports.values())] = True
    plain = (incoming == 1) & (outgoing == 1) & ~ports
    following = np.full(len(network.positions), -1, dtype=np.int64)
    following[network.segments[:, 0]] = np.arange(len(network.segments))
    segments, radii, rows = [], [], []
    lengths = network.lengths
    for first in np.flatnonzero(~plain[network.segments[:, 0]]).tolist():
        run = [first]
        while plain[network.segments[run[-1], 1]]:
            run.append(int(following[network.segments[run[-1], 1]]))
        for begin, stop in _straight_stretches(network, run, lengths):
            rows.append(run[begin])
            segments.append((network.segments[run[begin], 0], network.segments[run[stop], 1]))
            radii.append((network.radii[run[begin], 0], network.radii[run[stop], 1]))
    ringed = np.setdiff1d(np.arange(len(network.segments)), _in_runs(network, plain, following))
    segments += [tuple(network.segments[row]) for row in ringed]
    radii += [tuple(network.radii[row]) for row in ringed]
    shorter = Network(
        network.positions,
        np.asarray(segments, dtype=np.int64).reshape(-1, 2),
        np.asarray(radii).reshape(-1, 2),
        network.node_types,
        network.vessel_types,
        network.ports,
    )
    return name_nodes(keep_segments(shorter, np.ones(len(segments), dtype=bool)))


def _in_runs(network: Network, plain: np.ndarray, following: Ints) -> Ints:
    """The segments that can be reached from a port, junction or end; the rest go round in rings."""
    seen = []
    for first in np.flatnonzero(~plain[network.segments[:, 0]]).tolist():
        seen.append(first)
        while plain[network.segments[seen[-1], 1]]:
            seen.append(int(following[network.segments[seen[-1], 1]]))
    return np.asarray(seen, dtype=np.int64)


def _straight_stretches(network: Network, run: list[int], lengths: Floats) -> list[tuple[int, int]]:
    """First and last place in the run of each stretch that one segment can stand for."""
    stretches, begin = [], 0
    for place in range(1, len(run) + 1):
        if place == len(run) or not _is_straight(network, run[begin : place + 1], lengths):
            stretches.append((begin, place - 1))
            begin = place
    return stretches


def _is_straight(network: Network, run: list[int], lengths: Floats) -> bool:
    start, stop = network.positions[network.segments[run[0], 0]], network.positions[network.segments[run[-1], 1]]
    along = stop - start
    long = float(np.linalg.norm(along))
    first, last = network.radii[run[0], 0], network.radii[run[-1], 1]
    allowed = STRAIGHT * float(network.radii[run].max())
    gone = 0.0
    for before, after in pairwise(run):
        gone += float(lengths[before])
        share = gone / long if long > 0 else 2.0
        point = network.positions[network.segments[before, 1]]
        even = first + (last - first) * share
        off = float(np.linalg.norm(point - (start + along * share)))
        if share >= 1.0 or off > allowed or abs(network.radii[before, 1] - even) > allowed:
            return False
        if abs(network.radii[after, 0] - even) > allowed:
            return False
    return True

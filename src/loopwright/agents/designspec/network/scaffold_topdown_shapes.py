"""The shapes of branches: chords that are varied until one fits, and the curves over them."""

import numpy as np

from loopwright.agents.designspec.document.backends import OnlineCollisions
from loopwright.agents.designspec.network.network import Floats


def unit(vectors: Floats) -> Floats:
    """(n, 3) vectors of length 1; zero stays zero."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-18))


def within_cone(chords: Floats, directions: Floats, degrees: float) -> Floats:
    """The chords (n, 3), turned towards their parents' directions where they leave the cone about them."""
    lengths = np.linalg.norm(chords, axis=1, keepdims=True)
    limit = np.radians(degrees)
    along = (chords * directions).sum(axis=1, keepdims=True)
    angle = np.arccos(np.clip(along / np.maximum(lengths, 1e-18), -1.0, 1.0))
    sideways = chords - along * directions
    lost = np.linalg.norm(sideways, axis=1) < 1e-12
    sideways[lost] = any_normal(directions[lost])
    turned = np.cos(limit) * directions + np.sin(limit) * unit(sideways)
    return np.asarray(np.where(angle > limit, turned * lengths, chords))


def spread_apart(chords: Floats, aside: Floats, degrees: float) -> Floats:
    """Siblings' chords (n, 3), turned away from each other until they are at least so many degrees apart.

    `aside` (n, 3) says which way to part where two chords have the same direction.
    """
    lengths = np.linalg.norm(chords, axis=1, keepdims=True)
    ways = unit(chords)
    for _ in range(12):
        push = np.zeros_like(ways)
        for one in range(len(ways)):
            for two in range(one):
                cosine = float(np.clip(ways[one] @ ways[two], -1.0, 1.0))
                lacking = np.radians(degrees) - np.arccos(cosine)
                if lacking > 1e-3:
                    apart = ways[one] - ways[two] + 0.05 * (aside[one] - aside[two])
                    apart = apart / max(float(np.linalg.norm(apart)), 1e-18)
                    push[one] += apart * lacking / 2
                    push[two] -= apart * lacking / 2
        if not push.any():
            break
        ways = unit(ways + push)
    return np.asarray(ways * lengths)


def any_normal(directions: Floats) -> Floats:
    """(n, 3): a vector of length 1 across each direction."""
    helper = np.eye(3)[np.argmin(np.abs(directions), axis=1)] if len(directions) else np.zeros((0, 3))
    return unit(np.cross(directions, helper))


def turn(vectors: Floats, axes: Floats, angles: Floats) -> Floats:
    """Vectors (n, 3) turned about axes (n, 3) by angles (n,) in radians (Rodrigues)."""
    cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
    along = (vectors * axes).sum(axis=1, keepdims=True)
    return np.asarray(vectors * cosine + np.cross(axes, vectors) * sine + axes * along * (1 - cosine))


def variations(online: OnlineCollisions) -> Floats:
    """(k, 3): how a chord is varied, the mildest first: turned about its parent's direction, lifted, and shortened.

    Columns: turn and lift in radians, length as a share.
    """
    if not online.enabled:
        return np.array([[0.0, 0.0, 1.0]])
    turns = np.concatenate([[0.0], *([k, -k] for k in range(1, online.rotation_attempts // 2 + 1))])
    turns = turns * np.pi / max(online.rotation_attempts // 2, 1)
    lengths = (1.0, *online.reduction_factors)
    table = np.array([(a, b, c) for a in turns for b in np.radians([0, 25, -25, 50, -50]) for c in lengths])
    cost = np.abs(table[:, 0]) / 0.8 + np.abs(table[:, 1]) / 0.6 + (1 - table[:, 2]) * 1.6
    return np.asarray(table[np.argsort(cost, kind="stable")][: max(online.max_attempts_per_child, 1)])


def curves(starts: Floats, directions: Floats, chords: Floats, curvature: float, pieces: int) -> Floats:
    """(n, pieces + 1, 3): quadratic Bézier curves that leave along the parents' directions and end at the chords'."""
    lengths = np.linalg.norm(chords, axis=1, keepdims=True)
    # the handle lies between the chord's middle (a straight line) and the parent's direction
    bend = np.clip(curvature, 0.0, 1.0)
    handle = starts + (1 - bend) * chords / 2 + bend * directions * lengths / 2
    share = np.linspace(0.0, 1.0, pieces + 1)[None, :, None]
    first, middle, last = starts[:, None, :], handle[:, None, :], (starts + chords)[:, None, :]
    return np.asarray((1 - share) ** 2 * first + 2 * share * (1 - share) * middle + share**2 * last)

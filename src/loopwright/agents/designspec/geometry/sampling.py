"""Points spread evenly over a volume."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network.network import Floats
from loopwright.kernel.errors import InvalidInput

LEAST_SHARE = 1e-5
"""Share of its bounds below which a body is too thin to be sampled."""
LARGEST_BATCH = 2_000_000


def sampled(
    bounds: Floats, inside: Callable[[Floats], NDArray[np.bool_]], count: int, random: np.random.Generator
) -> Floats:
    """(count, 3): points drawn within the bounds and kept where they lie inside.

    Raises:
        InvalidInput: so few lie inside that it would not end.
    """
    parts: list[Floats] = []
    found = drawn = 0
    while found < count:
        share = max(LEAST_SHARE, found / drawn) if drawn else 0.5
        batch = int(min(LARGEST_BATCH, 1.1 * (count - found) / share + 64))
        points = random.uniform(bounds[0], bounds[1], (batch, 3))
        kept = points[inside(points)]
        parts.append(kept)
        found, drawn = found + len(kept), drawn + batch
        if drawn > 64 / LEAST_SHARE and found < LEAST_SHARE * drawn:
            raise InvalidInput("The domain is too thin for points to be drawn in it.")
    return np.concatenate(parts)[:count] if parts else np.zeros((0, 3))

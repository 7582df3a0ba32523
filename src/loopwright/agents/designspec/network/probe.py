"""What growth asks of a domain; `geometry/` answers it."""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from loopwright.agents.designspec.network.network import Floats

Progress = Callable[[float, str], None]
"""Told the share done (0 to 1) and what is being done; may raise to stop the work."""


def silent(share: float, message: str) -> None:
    """Progress that nobody watches."""


class DomainProbe(Protocol):
    """Asks a body about points, in metres."""

    @property
    def bounds(self) -> Floats:
        """(2, 3): the lowest and the highest corner."""
        ...

    def inside(self, points: Floats) -> NDArray[np.bool_]:
        """(n,): whether each of the (n, 3) points lies inside or on the boundary."""
        ...

    def depth(self, points: Floats) -> Floats:
        """(n,): distance of each point to the boundary, positive inside, negative outside."""
        ...

    def sample(self, count: int, random: np.random.Generator) -> Floats:
        """(count, 3): points spread evenly over the volume."""
        ...

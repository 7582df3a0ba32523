"""Project scheduling instances (RCPSP and RCPSP/max), and the Patterson format of the PSPLIB's .rcp files."""

from collections import deque
from dataclasses import dataclass
from pathlib import Path

from loopwright.kernel.errors import InvalidInput


@dataclass(frozen=True)
class Instance:
    """Activities with durations, needs of renewable resources, and time lags between their starts.

    A lag (i, j, w) says that j starts at least w after i starts; a negative w is a maximal lag of i after j. Activity 0
    starts the project. Times are whole units.
    """

    durations: tuple[int, ...]
    needs: tuple[tuple[int, ...], ...]
    capacities: tuple[int, ...]
    lags: tuple[tuple[int, int, int], ...]

    @property
    def size(self) -> int:
        """How many activities there are, the first and the last one included."""
        return len(self.durations)

    @property
    def horizon(self) -> int:
        """When a project ends at the latest, if it can end at all: every activity waits for its longest lag."""
        longest = list(self.durations)
        for before, _, lag in self.lags:
            longest[before] = max(longest[before], lag)
        return sum(longest)


def read_patterson(path: Path) -> Instance:
    """Read an instance in Patterson's format; line ends mean nothing in it.

    Raises:
        InvalidInput: the file holds something else.
    """
    try:
        numbers = deque(int(word) for word in path.read_text(encoding="ascii").split())
        size, resources = numbers.popleft(), numbers.popleft()
        capacities = tuple(numbers.popleft() for _ in range(resources))
        durations, needs, lags = [], [], []
        for index in range(size):
            durations.append(numbers.popleft())
            needs.append(tuple(numbers.popleft() for _ in range(resources)))
            lags += [(index, numbers.popleft() - 1, durations[-1]) for _ in range(numbers.popleft())]
    except (ValueError, IndexError) as error:
        message = f"{path.name} is no instance in Patterson's format: {error}."
        raise InvalidInput(
            message, hint="The numbers are: activities, resources, capacities, then one row each."
        ) from error
    if any(not 0 <= after < size for _, after, _ in lags) or numbers:
        raise InvalidInput(f"{path.name} names activities that it does not have, or holds more than it says.")
    return Instance(tuple(durations), tuple(needs), capacities, tuple(lags))

"""What a search gives, whoever searches."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Hit:
    """One result. `locator` is a path of the workspace or a web address, `page` a page of it."""

    title: str
    locator: str
    snippet: str
    page: int | None = None


@dataclass(frozen=True)
class Hits:
    """The results, best first; `remarks` tell what could not be searched."""

    hits: tuple[Hit, ...]
    remarks: tuple[str, ...] = ()


class SearchProvider(Protocol):
    """Searches one place."""

    @property
    def name(self) -> str:
        """Where it searches, for the model and the user."""
        ...

    async def search(self, query: str, max_results: int) -> Hits:
        """The best results.

        Raises:
            InvalidInput: the query cannot be searched for.
            SearchFailed: the provider gives nothing now.
        """
        ...

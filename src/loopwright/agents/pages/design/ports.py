"""What the design system needs of the stores, described by its own Protocols."""

from collections.abc import Sequence
from typing import Literal, Protocol


class DesignVersionRow(Protocol):
    """A version of the session's style sheet."""

    @property
    def version(self) -> int:
        """Counts from 1 within the session."""
        ...


class DesignSystems(Protocol):
    """The store of the style sheets' versions; the file in the session's folder is what is read."""

    async def save(
        self,
        session_id: str,
        css: str,
        *,
        source: Literal["create", "tokens"],
        description: str = "",
        on_disk: str = "",
        run_id: str | None = None,
        call_id: str | None = None,
    ) -> DesignVersionRow:
        """Store a new version, once per run and call; `on_disk` is kept first where somebody changed it by hand."""
        ...

    async def versions(self, session_id: str) -> Sequence[DesignVersionRow]:
        """The versions, newest first."""
        ...

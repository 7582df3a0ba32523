"""What the design system needs of the stores, described by its own Protocols."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, Protocol


class DesignVersionRow(Protocol):
    """A version of the session's style sheet."""

    @property
    def version(self) -> int:
        """Counts from 1 within the session."""
        ...

    @property
    def source(self) -> Literal["create", "tokens", "hand", "restore"]:
        """How it came about; `hand` is a file that people changed on disk."""
        ...

    @property
    def restored_from(self) -> int | None:
        """The older version that it is again."""
        ...

    @property
    def run_id(self) -> str | None:
        """The run in which it was made."""
        ...

    @property
    def call_id(self) -> str | None:
        """The tool call that made it."""
        ...

    @property
    def created_at(self) -> datetime:
        """When it was made."""
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

    async def css(self, session_id: str, version: int) -> str:
        """The text of a version.

        Raises:
            NotFound: there is no such version.
        """
        ...

    async def restore(
        self,
        session_id: str,
        version: int,
        *,
        on_disk: str = "",
        description: str = "",
        run_id: str | None = None,
        call_id: str | None = None,
    ) -> DesignVersionRow:
        """Make an old version current again, as a new version, once per run and call."""
        ...

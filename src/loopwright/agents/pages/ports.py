"""What the pages agent needs of the stores, described by its own Protocols; the app hands the stores in."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Protocol

from loopwright.agents.pages.browser import Browser
from loopwright.agents.pages.contracts import SectionPatch
from loopwright.agents.pages.design.ports import DesignSystems
from loopwright.agents.pages.events import VersionSource
from loopwright.agents.pages.promises.ports import Promises


class SessionRow(Protocol):
    """A session; `metadata` holds `brief`, `product_type`, `app_name`, `planned_pages` and the like."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The agent's own data of the session."""
        ...


class Sessions(Protocol):
    """The sessions' store."""

    async def get(self, session_id: str) -> SessionRow:
        """The session.

        Raises:
            NotFound: there is no such session.
        """
        ...

    async def update(self, session_id: str, *, metadata: Mapping[str, Any] | None = None) -> SessionRow:
        """Merge `metadata` into the stored one, key by key; None removes a key."""
        ...


class PageRow(Protocol):
    """A page, without its HTML."""

    @property
    def slug(self) -> str:
        """Its name in files and links."""
        ...

    @property
    def title(self) -> str:
        """Its title."""
        ...

    @property
    def current_version(self) -> int:
        """The number of its newest version."""
        ...

    @property
    def deleted(self) -> bool:
        """Whether there is no page as of its newest version."""
        ...


class PageVersionRow(Protocol):
    """A version of a page, without its HTML; `run_id` and `call_id` name the tool call that made it."""

    @property
    def slug(self) -> str:
        """The page's."""
        ...

    @property
    def version(self) -> int:
        """Counts from 1 within the page."""
        ...

    @property
    def source(self) -> VersionSource:
        """How it came about."""
        ...

    @property
    def description(self) -> str:
        """What it was made for: of a new page what it is to be, of a change what was asked."""
        ...

    @property
    def created_at(self) -> datetime:
        """When it was made."""
        ...

    @property
    def released(self) -> bool:
        """Whether its HTML has been given up."""
        ...

    @property
    def deleted(self) -> bool:
        """Whether there is no page as of this version."""
        ...

    @property
    def run_id(self) -> str | None:
        """The run in which it was made."""
        ...

    @property
    def call_id(self) -> str | None:
        """The tool call that made it."""
        ...


class Pages(Protocol):
    """The store of pages and their versions."""

    async def save(
        self,
        session_id: str,
        slug: str,
        html: str | None,
        *,
        source: VersionSource,
        title: str | None = None,
        description: str = "",
        run_id: str | None = None,
        call_id: str | None = None,
        base: int | None = None,
    ) -> PageVersionRow:
        """Store a new current version, once per run, call and slug; None says that the page is deleted.

        Raises:
            NotFound: there is no page that could be deleted.
            Conflict: the current version is no longer `base`, where one is given.
        """
        ...

    async def of_session(self, session_id: str, *, deleted: bool = False) -> Sequence[PageRow]:
        """The session's pages in their order; with `deleted` also those that are there no more."""
        ...

    async def html(self, session_id: str, slug: str, version: int | None = None) -> str:
        """The HTML of a version, or of the current one.

        Raises:
            NotFound: there is no such page or version, or the page was deleted with it.
        """
        ...

    async def versions(self, session_id: str, slug: str) -> Sequence[PageVersionRow]:
        """The page's versions, newest first.

        Raises:
            NotFound: there is no such page.
        """
        ...


class SectionRow(Protocol):
    """A section of the product doc."""

    @property
    def title(self) -> str:
        """Its title, as a human reads it."""
        ...

    @property
    def content(self) -> str:
        """Markdown."""
        ...


class FactsRow(Protocol):
    """What the controller keeps true beside a section."""

    @property
    def content(self) -> str:
        """Markdown."""
        ...


class ProductDocRow(Protocol):
    """The product doc of a session."""

    @property
    def sections(self) -> Mapping[str, SectionRow]:
        """By name, in the order in which they were first written."""
        ...

    @property
    def facts(self) -> Mapping[str, FactsRow]:
        """By name too, but no part of the sections: these change only by the controller's hand."""
        ...

    @property
    def project_card(self) -> str:
        """The compact summary."""
        ...


class ProductDocs(Protocol):
    """The product docs' store."""

    async def get(self, session_id: str) -> ProductDocRow | None:
        """The session's product doc, or None as long as nothing was written."""
        ...

    async def apply(
        self,
        session_id: str,
        patches: Sequence[SectionPatch],
        *,
        author: Literal["llm", "user"],
        idempotency_key: str,
        run_id: str | None = None,
    ) -> ProductDocRow:
        """Apply the patches in order; with a key that was used before, change nothing."""
        ...

    async def keep_facts(
        self, session_id: str, facts: Mapping[str, str | None], *, run_id: str | None = None
    ) -> Sequence[str]:
        """Take over what is true now (None: nothing any more); gives the names whose facts have changed."""
        ...

    async def set_project_card(self, session_id: str, text: str) -> None:
        """Replace the compact summary."""
        ...


class PagesServices(Protocol):
    """What the tools find in `ctx.db`, and the agent's functions in `run.services`."""

    @property
    def sessions(self) -> Sessions:
        """The sessions."""
        ...

    @property
    def pages(self) -> Pages:
        """Pages and versions."""
        ...

    @property
    def product_docs(self) -> ProductDocs:
        """Product docs."""
        ...

    @property
    def promises(self) -> Promises:
        """The record of promises."""
        ...

    @property
    def browser(self) -> Browser | None:
        """A browser that renders pages, where one may be used; whether there is one it says itself."""
        ...

    @property
    def design_systems(self) -> DesignSystems:
        """Versions of the design system."""
        ...

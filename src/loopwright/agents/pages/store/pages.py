"""The pages and their versions on SQL; slugs are bound parameters here, never paths."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from sqlalchemy import Connection, Row, false, func, insert, select, update

from loopwright.agents.pages.store.tables import page_versions, pages
from loopwright.kernel.errors import Conflict, NotFound
from loopwright.stores.database import Database
from loopwright.stores.errors import storable
from loopwright.stores.sessions import session_row
from loopwright.stores.tables import new_id

# What the pages' store gives back.

PageSource = Literal["generate", "edit", "manual", "restore", "undo", "redo", "delete"]
"""How a version came about; `manual` is a page that people changed on disk, `delete` comes with a page's deletion."""


class PageRecord(BaseModel):
    """A page; `size_bytes` and `updated_at` are those of its current version, `deleted` says that there is none now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    page_id: str
    session_id: str
    slug: str
    title: str
    position: int
    current_version: int
    deleted: bool = False
    size_bytes: int
    created_at: datetime
    updated_at: datetime


class PageVersionRecord(BaseModel):
    """A version of a page without its HTML; `released` says that the HTML has been given up.

    As of a `deleted` version there is no page; older versions keep their HTML.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    page_id: str
    slug: str
    version: int
    source: PageSource
    description: str
    size_bytes: int
    pinned: bool
    deleted: bool = False
    released: bool
    current: bool
    run_id: str | None
    call_id: str | None
    created_at: datetime


# Which versions of a page keep their HTML (field notes, 000: the current one, 2 pinned ones, the 5 newest others).

MAX_PINNED = 2
"""Versions of a page that a user can pin."""

KEPT_VERSIONS = 5
"""Newest versions, besides the current and the pinned ones, that keep their HTML."""


REPETITIONS = ("undo", "redo")
"""Versions that repeat the text of another one: while they are not current, that one is kept and they are not."""


def release_old_versions(connection: Connection, page_id: str, current_version: int) -> None:
    """Give up the HTML of what is neither current nor pinned nor among the newest; the version's row stays."""
    others = (
        (page_versions.c.page_id == page_id)
        & page_versions.c.pinned.is_(False)
        & (page_versions.c.version != current_version)
    )
    own_texts = others & page_versions.c.deleted.is_(False) & page_versions.c.source.not_in(REPETITIONS)
    newest = select(page_versions.c.version).where(own_texts).order_by(page_versions.c.version.desc())
    kept = connection.execute(newest.limit(KEPT_VERSIONS)).scalars().all()
    # The text goes, the fact stays: sizes and authors remain in the list of versions.
    connection.execute(
        update(page_versions)
        .where(others, page_versions.c.version.not_in(kept), page_versions.c.html.is_not(None))
        .values(html=None)
    )


_MAX_SLUG = 100


class SqlPages:
    """Saves, lists, restores and pins."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        self._database = database

    async def save(
        self,
        session_id: str,
        slug: str,
        html: str | None,
        *,
        source: PageSource,
        title: str | None = None,
        description: str = "",
        run_id: str | None = None,
        call_id: str | None = None,
        base: int | None = None,
    ) -> PageVersionRecord:
        """Store a new version, which becomes the current one; makes the page if there is none.

        Without HTML the version says that the page is deleted: nothing of it is listed any more, its older versions
        stay, and the next version with HTML brings it back.

        The same run, call and slug give the same version however often they come, so a tool that runs again after a
        crash stores once. With `base`, the version is only stored while that one is current.

        Raises:
            NotFound: there is no such session, or no page that could be deleted.
            Conflict: another version than `base` is current.
            InvalidInput: a text cannot be stored.
        """
        storable(slug, "slug", _MAX_SLUG)
        if html is not None:
            storable(html, f"HTML of page {slug}")
        storable(description, "description")
        if title is not None:
            storable(title, "title")
        key = f"{run_id}:{call_id}:{slug}" if run_id and call_id else new_id()

        def work(connection: Connection) -> PageVersionRecord:
            session_row(connection, session_id, lock=True)
            page = _find(connection, session_id, slug)
            if page is None and html is not None:
                page = _create(connection, session_id, slug, title or slug)
            page = page or _page(connection, session_id, slug)
            new = _NewVersion(html, source, description, key, run_id, call_id)
            return _store(connection, page, new, title, base)

        return await self._database.write(work)

    async def get(self, session_id: str, slug: str) -> PageRecord:
        """The page.

        Raises:
            NotFound: there is no such page, or not any more.
        """
        return await self._database.read(lambda connection: _as_page(_there(_page(connection, session_id, slug))))

    async def of_session(self, session_id: str, *, deleted: bool = False) -> list[PageRecord]:
        """The session's pages in their order; with `deleted` also those that are there no more."""
        query = _PAGES.where(pages.c.session_id == session_id).order_by(pages.c.position)
        if not deleted:
            query = query.where(func.coalesce(page_versions.c.deleted, false()).is_(False))
        rows = await self._database.read(lambda connection: connection.execute(query).all())
        return [_as_page(row) for row in rows]

    async def html(self, session_id: str, slug: str, version: int | None = None) -> str:
        """The HTML of a version, or of the current one.

        Raises:
            NotFound: there is no such page or version, or the page was deleted with it.
            Conflict: the version's HTML has been released.
        """

        def work(connection: Connection) -> str:
            page = _page(connection, session_id, slug)
            return _html(_version(connection, page, page.current_version if version is None else version), slug)

        return await self._database.read(work)

    async def versions(self, session_id: str, slug: str) -> list[PageVersionRecord]:
        """The page's versions, newest first.

        Raises:
            NotFound: there is no such page.
        """

        def work(connection: Connection) -> list[PageVersionRecord]:
            page = _page(connection, session_id, slug)
            query = select(page_versions).where(page_versions.c.page_id == page.page_id)
            rows = connection.execute(query.order_by(page_versions.c.version.desc()))
            return [_as_version(row, page) for row in rows]

        return await self._database.read(work)

    async def restore(
        self, session_id: str, slug: str, version: int, *, idempotency_key: str | None = None
    ) -> PageVersionRecord:
        """Make an old version's HTML current again, as a new version; nothing is lost by it.

        Raises:
            NotFound: there is no such page or version.
            Conflict: the version's HTML has been released.
        """
        key = storable(idempotency_key or new_id(), "idempotency key", 240)

        def change(connection: Connection, page: Row[Any]) -> PageVersionRecord:
            html = _html(_version(connection, page, version), slug)
            new = _NewVersion(html, "restore", f"Version {version} again", f"restore:{key}")
            return _store(connection, page, new, None)

        return await self._change(session_id, slug, change)

    async def pin(self, session_id: str, slug: str, version: int, *, pinned: bool = True) -> PageVersionRecord:
        """Keep a version's HTML for good, or (`pinned=False`) no longer.

        Raises:
            NotFound: there is no such page or version.
            Conflict: two versions are pinned already, or the HTML has been released.
        """

        def change(connection: Connection, page: Row[Any]) -> PageVersionRecord:
            row = _version(connection, page, version)
            if pinned and not row.pinned:
                _html(row, slug)
                others = select(func.count()).where(page_versions.c.page_id == page.page_id, page_versions.c.pinned)
                if connection.execute(others).scalar_one() >= MAX_PINNED:
                    raise Conflict(f"Page {slug} has {MAX_PINNED} pinned versions already.", hint="Unpin one first.")
            this = (page_versions.c.page_id == page.page_id) & (page_versions.c.version == version)
            connection.execute(update(page_versions).where(this).values(pinned=pinned))
            release_old_versions(connection, page.page_id, page.current_version)
            return _as_version(_version(connection, page, version), page)

        return await self._change(session_id, slug, change)

    async def _change(
        self, session_id: str, slug: str, change: Callable[[Connection, Row[Any]], PageVersionRecord]
    ) -> PageVersionRecord:
        def work(connection: Connection) -> PageVersionRecord:
            session_row(connection, session_id, lock=True)
            return change(connection, _page(connection, session_id, slug))

        return await self._database.write(work)


@dataclass(frozen=True, slots=True)
class _NewVersion:
    html: str | None
    source: PageSource
    description: str
    key: str
    run_id: str | None = None
    call_id: str | None = None

    def columns(self) -> dict[str, Any]:
        return {
            "idempotency_key": self.key,
            "html": self.html,
            "source": self.source,
            "description": self.description,
            "deleted": self.html is None,
            "size_bytes": len((self.html or "").encode()),
            "run_id": self.run_id,
            "call_id": self.call_id,
        }


_PAGES = select(
    pages,
    func.coalesce(page_versions.c.size_bytes, 0).label("size_bytes"),
    func.coalesce(page_versions.c.deleted, false()).label("deleted"),
).outerjoin(
    page_versions,
    (page_versions.c.page_id == pages.c.page_id) & (page_versions.c.version == pages.c.current_version),
)


def _find(connection: Connection, session_id: str, slug: str) -> Row[Any] | None:
    return connection.execute(_PAGES.where(pages.c.session_id == session_id, pages.c.slug == slug)).first()


def _page(connection: Connection, session_id: str, slug: str) -> Row[Any]:
    row = _find(connection, session_id, slug)
    if row is None:
        raise NotFound(f"Session {session_id} has no page {slug!r}.")
    return row


def _there(page: Row[Any]) -> Row[Any]:
    """The page, unless it was deleted."""
    if page.deleted:
        raise NotFound(f"Page {page.slug!r} was deleted.", hint="An undo brings it back.")
    return page


def _create(connection: Connection, session_id: str, slug: str, title: str) -> Row[Any]:
    last = connection.execute(select(func.max(pages.c.position)).where(pages.c.session_id == session_id)).scalar()
    now = datetime.now(UTC)
    row = {
        "page_id": new_id(),
        "session_id": session_id,
        "slug": slug,
        "title": title,
        "position": 0 if last is None else last + 1,
        "current_version": 0,
        "created_at": now,
        "updated_at": now,
    }
    connection.execute(insert(pages), [row])
    return _page(connection, session_id, slug)


def _store(
    connection: Connection, page: Row[Any], new: _NewVersion, title: str | None, base: int | None = None
) -> PageVersionRecord:
    mine = page_versions.c.page_id == page.page_id
    known = connection.execute(select(page_versions).where(mine, page_versions.c.idempotency_key == new.key)).first()
    if known is not None:
        return _as_version(known, page)
    if base is not None and page.current_version != base:
        raise Conflict(
            f"Page {page.slug} has changed meanwhile: version {page.current_version} is current, not {base}.",
            hint="Look at it and try again.",
        )
    if new.html is None:
        _there(page)
    version = (connection.execute(select(func.max(page_versions.c.version)).where(mine)).scalar() or 0) + 1
    now = datetime.now(UTC)
    row = {"page_id": page.page_id, "version": version, "created_at": now, **new.columns()}
    connection.execute(insert(page_versions), [row])
    changes = {"current_version": version, "updated_at": now, "title": page.title if title is None else title}
    connection.execute(update(pages).where(pages.c.page_id == page.page_id).values(changes))
    release_old_versions(connection, page.page_id, version)
    page = _page(connection, page.session_id, page.slug)
    return _as_version(_version(connection, page, version), page)


def _version(connection: Connection, page: Row[Any], version: int) -> Row[Any]:
    query = select(page_versions).where(page_versions.c.page_id == page.page_id, page_versions.c.version == version)
    row = connection.execute(query).first()
    if row is None:
        raise NotFound(f"Page {page.slug!r} has no version {version}.")
    return row


def _html(row: Row[Any], slug: str) -> str:
    if row.deleted:
        raise NotFound(f"Page {slug!r} was deleted with version {row.version}.", hint="An undo brings it back.")
    if row.html is None:
        raise Conflict(
            f"The HTML of version {row.version} of page {slug} has been released.",
            hint="Pin what you want to keep.",
        )
    html: str = row.html
    return html


def _as_page(row: Row[Any]) -> PageRecord:
    return PageRecord(**row._mapping)


def _as_version(row: Row[Any], page: Row[Any]) -> PageVersionRecord:
    fields = dict(row._mapping)
    released = fields.pop("html") is None and not row.deleted
    del fields["idempotency_key"]
    current = row.version == page.current_version
    return PageVersionRecord(**fields, slug=page.slug, released=released, current=current)

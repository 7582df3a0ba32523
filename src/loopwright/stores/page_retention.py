"""Which versions of a page keep their HTML (field notes, 000: the current one, 2 pinned ones, the 5 newest others)."""

from sqlalchemy import Connection, select, update

from loopwright.stores.tables import page_versions

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

"""The project as stores and folder know it at one moment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from loopwright.agents.pages.brief.slugs import is_slug
from loopwright.agents.pages.contracts import PageEntry
from loopwright.agents.pages.ports import FactsRow, PageRow, PagesServices, ProductDocRow, SectionRow
from loopwright.agents.pages.workspace import Workspace


@dataclass(frozen=True)
class Project:
    """A session's project.

    `planned` are the pages of the last analysed brief, whether they exist or not, but for deleted ones. `pages` exist;
    they stand in the plan's order, then in the order in which they were made, because pages written side by side are
    done in any order.
    """

    workspace: Workspace
    metadata: Mapping[str, Any]
    pages: Sequence[PageRow]
    doc: ProductDocRow | None = None
    css: str = ""
    planned: tuple[PageEntry, ...] = field(default=())

    @property
    def slugs(self) -> tuple[str, ...]:
        """The pages that exist."""
        return tuple(page.slug for page in self.pages)

    @property
    def product_type(self) -> str | None:
        """As the last analysis of a brief has it."""
        return self.metadata.get("product_type")

    @property
    def app_name(self) -> str | None:
        """As the last analysis of a brief has it."""
        return self.metadata.get("app_name")

    @property
    def sections(self) -> Mapping[str, SectionRow]:
        """The product doc's sections."""
        return self.doc.sections if self.doc else {}

    @property
    def facts(self) -> Mapping[str, FactsRow]:
        """What the controller keeps true of pages and style sheet."""
        return self.doc.facts if self.doc else {}

    def sitemap(self, *more: PageEntry) -> list[PageEntry]:
        """What links may point to: planned pages in the plan's order, then other existing ones, then `more`.

        The titles of the plan stand, so that it reads the same while the pages come into being.
        """
        entries = {entry.slug: entry for entry in self.planned}
        for page in self.pages:
            entries.setdefault(page.slug, PageEntry(slug=page.slug, title=page.title))
        for entry in more:
            entries.setdefault(entry.slug, entry)
        return list(entries.values())


async def load_project(services: PagesServices, session_id: str, workspace: Workspace) -> Project:
    """Read the project as it is now.

    Raises:
        NotFound: there is no such session.
    """
    session = await services.sessions.get(session_id)
    stored = await services.pages.of_session(session_id, deleted=True)
    deleted = {page.slug for page in stored if page.deleted}
    planned = tuple(entry for entry in _planned(session.metadata) if entry.slug not in deleted)
    place = {entry.slug: number for number, entry in enumerate(planned)}
    return Project(
        workspace=workspace,
        metadata=session.metadata,
        pages=sorted((page for page in stored if not page.deleted), key=lambda page: place.get(page.slug, len(place))),
        doc=await services.product_docs.get(session_id),
        css=workspace.read_design_system(),
        planned=planned,
    )


async def load_page(services: PagesServices, session_id: str, workspace: Workspace, slug: str) -> str | None:
    """The page's HTML: the file, which people may have changed by hand; the stored version where the file is gone."""
    html = workspace.read_page(slug)
    if html is not None:
        return html
    known = {page.slug for page in await services.pages.of_session(session_id)}
    return await services.pages.html(session_id, slug) if slug in known else None


def _planned(metadata: Mapping[str, Any]) -> tuple[PageEntry, ...]:
    entries = []
    for item in metadata.get("planned_pages") or ():
        try:
            entry = PageEntry.model_validate(item)
        except ValidationError:
            continue  # the metadata can be edited from outside; a broken entry plans nothing
        if is_slug(entry.slug):
            entries.append(entry)
    return tuple(entries)

"""Events that the pages agent adds to a run's journal."""

from typing import ClassVar, Literal

from loopwright.kernel.events import Payload

VersionSource = Literal["generate", "edit"]


class ProductDocUpdated(Payload):
    """Sections of the product doc changed; `project_card` is the card made of it."""

    type: ClassVar[str] = "product_doc_updated"
    sections: list[str]
    project_card: str


class PageCreated(Payload):
    """A page exists now that did not before."""

    type: ClassVar[str] = "page_created"
    slug: str
    title: str
    version: int


class PageVersionCreated(Payload):
    """A page has a new version."""

    type: ClassVar[str] = "page_version_created"
    slug: str
    version: int
    source: VersionSource


class DesignSystemCreated(Payload):
    """The session's shared style sheet was written."""

    type: ClassVar[str] = "design_system_created"
    size_bytes: int
    classes: int
    variables: int

"""Events that the pages agent adds to a run's journal."""

from typing import Any, ClassVar, Literal

from loopwright.kernel.events import Payload

VersionSource = Literal["generate", "edit", "manual", "restore", "undo", "redo", "delete"]
"""How a version came about; `manual` is a file that people changed by hand, stored before something else is done."""


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


class PageDeleted(Payload):
    """A page is there no more as of this version of it; an undo brings it back."""

    type: ClassVar[str] = "page_deleted"
    slug: str
    version: int


class DesignSystemCreated(Payload):
    """The session's shared style sheet was written."""

    type: ClassVar[str] = "design_system_created"
    size_bytes: int
    classes: int
    variables: int


class PromisesRecorded(Payload):
    """A change of a page was accepted, and gave promises: id, request and number of checks of each."""

    type: ClassVar[str] = "promises_recorded"
    slug: str
    promises: list[dict[str, Any]]


class PromiseBroken(Payload):
    """A change would have broken a promise, and was refused; or (`refused=False`) it was broken before the change."""

    type: ClassVar[str] = "promise_broken"
    promise_id: str
    request: str
    what: str
    findings: list[str]
    refused: bool = True


class PromiseWithdrawn(Payload):
    """The user has taken a promise back, or (with `check`, which counts from 1) one check of it."""

    type: ClassVar[str] = "promise_withdrawn"
    promise_id: str
    request: str
    reason: str
    check: int | None = None


class PromiseSuperseded(Payload):
    """The user's own newer words ask for something else in the place of an older promise, or of checks of it.

    `checks` say what does not count any more, `by` names the promise that took its place, `said` is the new request.
    """

    type: ClassVar[str] = "promise_superseded"
    promise_id: str
    request: str
    checks: list[str]
    by: str
    said: str


class PromiseRenewed(Payload):
    """A way back has brought again what a promise speaks of, so that it counts again."""

    type: ClassVar[str] = "promise_renewed"
    promise_id: str
    request: str


class PagesMeasured(Payload):
    """Pages were looked at in the browser.

    `pages` gives by slug a digest of what was looked at, the page together with the design system; `findings` are
    issues with their `slug`; `failure` says why nothing could be seen.
    """

    type: ClassVar[str] = "pages_measured"
    pages: dict[str, str]
    findings: list[dict[str, Any]]
    failure: str | None = None


class TokensChanged(Payload):
    """Tokens of the design system have other values; `version` is that of the sheet.

    `elements` counts those that look different, `weakened` the pairs of text and ground that can be read less well
    than they should since.
    """

    type: ClassVar[str] = "tokens_changed"
    changes: dict[str, str]
    scheme: str
    version: int
    elements: int
    weakened: int

"""What the pages' store gives back."""

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict

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

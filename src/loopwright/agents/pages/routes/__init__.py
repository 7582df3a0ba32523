"""The HTTP routes of the pages agent."""

from fastapi import APIRouter

from loopwright.agents.pages.routes import (
    chat,
    design,
    exports,
    interview,
    page_checks,
    page_history,
    pages,
    preview_links,
    previews,
    product_docs,
    promises,
)

router = APIRouter()
for _module in (
    chat,
    pages,
    page_history,
    page_checks,
    exports,
    previews,
    preview_links,
    interview,
    product_docs,
    promises,
    design,
):
    router.include_router(_module.router)

"""The tables, one file per noun; importing this package fills the metadata."""

from loopwright.stores.tables.artifacts import artifacts
from loopwright.stores.tables.base import metadata
from loopwright.stores.tables.design_versions import design_versions
from loopwright.stores.tables.events import events
from loopwright.stores.tables.jobs import job_states
from loopwright.stores.tables.page_versions import page_versions
from loopwright.stores.tables.pages import pages
from loopwright.stores.tables.plan_memories import plan_memories
from loopwright.stores.tables.plans import plan_nodes, planning_states, plans, scheduled_tasks
from loopwright.stores.tables.product_docs import (
    product_doc_facts,
    product_doc_patches,
    product_doc_sections,
    product_docs,
)
from loopwright.stores.tables.promises import promise_entries, promises
from loopwright.stores.tables.requirements import requirement_edits, requirements
from loopwright.stores.tables.runs import runs
from loopwright.stores.tables.sessions import sessions
from loopwright.stores.tables.sources import citations, sources

__all__ = [
    "artifacts",
    "citations",
    "design_versions",
    "events",
    "job_states",
    "metadata",
    "page_versions",
    "pages",
    "plan_memories",
    "plan_nodes",
    "planning_states",
    "plans",
    "product_doc_facts",
    "product_doc_patches",
    "product_doc_sections",
    "product_docs",
    "promise_entries",
    "promises",
    "requirement_edits",
    "requirements",
    "runs",
    "scheduled_tasks",
    "sessions",
    "sources",
]

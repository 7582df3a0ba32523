"""The tables of every installation, one file per noun; agents bring their own."""

from loopwright.stores.tables.artifacts import artifacts
from loopwright.stores.tables.base import metadata
from loopwright.stores.tables.events import events
from loopwright.stores.tables.runs import runs
from loopwright.stores.tables.sessions import sessions

__all__ = ["artifacts", "events", "metadata", "runs", "sessions"]

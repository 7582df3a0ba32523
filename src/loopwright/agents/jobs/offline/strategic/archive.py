"""What the last tactical phase did, out of the archive."""

from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from loopwright.agents.jobs.offline.files import read_whole
from loopwright.agents.jobs.offline.replay import Reading
from loopwright.agents.jobs.offline.view import View


@dataclass(frozen=True)
class ArchivedTodo:
    """A todo that was worked through."""

    content: str
    notes: str = ""


def read_phase(view: View) -> Reading[tuple[ArchivedTodo, ...]]:
    """The todos of the last tactical phase, which ends only when all are completed.

    A config may switch the archive off; the todos as they were staged are kept in any case.
    """
    phase = view.last_tactical
    if phase is None:
        return ()
    number = phase.get("number")
    for path in (f"archive/phase_{number}.yaml", f"archive/todos_of_phase_{number}.yaml"):
        text = yield from read_whole(path)
        if text is not None:
            return _todos(text)
    return ()


def _todos(text: str) -> tuple[ArchivedTodo, ...]:
    try:
        data = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError:
        # An archive that was damaged tells nothing; the plan then shows the phase's steps as still open.
        return ()
    items = data.get("todos") if isinstance(data, Mapping) else None
    return tuple(
        ArchivedTodo(str(item.get("content") or ""), str(item.get("notes") or ""))
        for item in (items if isinstance(items, list) else ())
        if isinstance(item, Mapping)
    )

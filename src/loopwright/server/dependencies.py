"""What routes are given."""

import re
from typing import Annotated

from fastapi import Depends, Path, Query, Request

from loopwright.app.loopwright import Loopwright
from loopwright.kernel.errors import InvalidInput


def _application(request: Request) -> Loopwright:
    application: Loopwright = request.app.state.application
    return application


Application = Annotated[Loopwright, Depends(_application)]
"""The opened application."""


# --------------------------------------------------------------------------------------------------------------------
# Numbers that requests carry, bounded by what the stores can hold: a larger one is the caller's fault.
# --------------------------------------------------------------------------------------------------------------------

MAX_INTEGER = 2**53 - 1
"""The greatest integer that every reader of JSON has exactly; the stores hold more."""

Seq = Annotated[int, Query(ge=0, le=MAX_INTEGER)]
"""The number of an event in its run's journal, 0 before the first one."""

Version = Annotated[int, Query(ge=1, le=MAX_INTEGER)]
"""The number of a page's version."""

VersionInPath = Annotated[int, Path(ge=1, le=MAX_INTEGER)]


def seq_of(event_id: str) -> int:
    """The seq that a `Last-Event-ID` names; 0 for an id of another kind, which is of another stream.

    Raises:
        InvalidInput: no run has so many events.
    """
    if not re.fullmatch(r"[0-9]+", event_id):
        return 0
    if len(event_id) > len(str(MAX_INTEGER)) or int(event_id) > MAX_INTEGER:
        raise InvalidInput(
            "Last-Event-ID is no id of an event.", hint="Send the id of the last event that came, or no such header."
        )
    return int(event_id)

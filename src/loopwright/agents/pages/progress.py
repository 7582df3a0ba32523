"""Whether the model gets on, and when the controller goes on by the plan instead."""

import re
from collections.abc import Sequence

from loopwright.agents.pages.compliance import validate_page
from loopwright.agents.pages.context.relevance import load_page, load_project
from loopwright.agents.pages.events import DesignSystemCreated, PageVersionCreated, TokensChanged
from loopwright.agents.pages.guard import NOTHING_BUILT, times_given
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.events import Event, GateAnswered, ModelResponse, ToolCallStarted, ToolResultRecorded
from loopwright.kernel.run import AgentRun
from loopwright.kernel.think import TEXT

STUCK = "stuck"
"""The signal of a model that does not get on."""
WITHOUT_PROGRESS = 2
"""So many answers with calls in a row that led nowhere are enough: a third failing one would end the run (`Limits`)."""

_CHANGES = frozenset(payload.type for payload in (DesignSystemCreated, PageVersionCreated, TokensChanged))
_SAYS_THE_SAME = frozenset({"analyze_brief"})
"""Tools that tell nothing new when they are called again in other words."""
_THING = re.compile(
    r"\b(?:apps?|pages?|(?:web)?sites?|shops?|stores?|prototypes?|dashboards?|portfolios?|invitations?)\b"
    r"|页|应用|网站|小程序|商店",
    re.IGNORECASE,
)
_ASKS = re.compile(r"^\W*(?:what|which|who|why|how|when|where)\b|吗\W*$", re.IGNORECASE)


async def judge_end(run: AgentRun) -> str:
    """What a model that ends with words has come to: it only talked, twice, of an app that it was asked to build."""
    if run.mode == "chat" or run.state.stage != "new-project":
        return TEXT
    asked = run.state.context.newest_user
    if asked is None or not asks_for_app(asked.content):
        return TEXT
    if await run.services.pages.of_session(run.state.session_id):
        return TEXT
    return STUCK if times_given(await run.journal.read(run.state.run_id), NOTHING_BUILT) else TEXT


def asks_for_app(text: str) -> bool:
    """Whether a message names something to build, and is no question about it."""
    return _THING.search(text) is not None and _ASKS.search(text) is None


async def review_progress(run: AgentRun) -> str | None:
    """`STUCK` where the last answers led nowhere, and either the plan tells what to do or everything is done.

    A refused or repeated call is no progress. A model that has pages to repair, or a request that it has not
    begun, goes on until its limits: only it knows how.
    """
    if run.mode == "chat":
        return None
    events = await run.journal.read(run.state.run_id)
    if answers_without_progress(events) < WITHOUT_PROGRESS:
        return None
    project = await load_project(run.services, run.state.session_id, Workspace(run.output_dir))
    if run.state.stage == "new-project" and not {page.slug for page in project.planned} <= set(project.slugs):
        return STUCK
    if not any(event.type in _CHANGES for event in events):
        return None
    for slug in project.slugs:
        html = await load_page(run.services, run.state.session_id, project.workspace, slug)
        if not validate_page(html or "", css=project.css, slug=slug, known_slugs=project.slugs).valid:
            return None
    return STUCK


def answers_without_progress(events: Sequence[Event]) -> int:
    """The model's last answers in a row whose calls changed nothing, found out nothing new, and asked nobody."""
    count, known, started = 0, set[str](), dict[str, str]()
    gets_on = True
    for event in events:
        if event.type == ModelResponse.type:
            count = 0 if gets_on else count + 1
            gets_on = not event.payload["tool_calls"]
        elif event.type in _CHANGES or event.type == GateAnswered.type:
            gets_on = True
        elif event.type == ToolCallStarted.type:
            name = event.payload["name"]
            started[event.payload["call_id"]] = (
                name if name in _SAYS_THE_SAME else f"{name} {event.payload['arguments']}"
            )
        elif event.type == ToolResultRecorded.type and event.payload["success"]:
            call = started.get(event.payload["call_id"], "")
            gets_on = gets_on or call not in known
            known.add(call)
    return count if gets_on else count + 1

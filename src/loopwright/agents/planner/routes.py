"""Plans over HTTP. A goal is a run: `POST /api/plans`, or `POST /api/runs` with `"agent": "planner"`."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from loopwright.agents.planner.services import planner_stores
from loopwright.agents.planner.usecases import (
    change_run,
    checked_policy,
    clear_policy,
    explain_task,
    plan_of,
    plan_run,
    planning_of,
    present,
    set_policy,
    show_plan,
    show_policy,
)
from loopwright.app.starting import start_run
from loopwright.server.dependencies import Application
from loopwright.server.routes import run_object

TextFormat = Literal["ics", "markdown", "json", "gantt", "html", "svg", "csv", "taskjuggler", "msproject"]
router = APIRouter(prefix="/api/plans", tags=["plans"])


class Goal(BaseModel):
    """What is to be reached. `policy` is an interaction policy; `busy` are taken times as pairs of ISO moments."""

    model_config = ConfigDict(extra="forbid")

    goal: str
    start: str | None = None
    deadline: str | None = None
    timezone: str | None = None
    busy: list[tuple[str, str]] = Field(default_factory=list, max_length=5_000)
    policy: dict[str, Any] | None = None
    session_id: str | None = None


class Change(BaseModel):
    """What has happened, in the user's words."""

    model_config = ConfigDict(extra="forbid")

    change: str


@router.post("", status_code=201)
async def make(body: Goal, application: Application) -> dict[str, Any]:
    """Make a plan in the background; its questions and approvals come to `/api/gates`."""
    new = plan_run(
        body.goal,
        now=present(application),
        start=body.start,
        deadline=body.deadline,
        zone=body.timezone,
        session_id=body.session_id,
    )
    given = {"busy": body.busy, "policy": checked_policy(body.policy or {})}
    new.options.update({name: value for name, value in given.items() if value})
    return run_object(await start_run(application, new))


@router.get("")
async def find(application: Application, limit: Annotated[int, Query(ge=1, le=500)] = 50) -> dict[str, Any]:
    """Plans, newest first."""
    return {
        "plans": [
            record.model_dump(mode="json")
            for record in await (await planner_stores(application)).plans.find(limit=limit)
        ]
    }


@router.get("/policy")
async def get_policy(application: Application) -> dict[str, Any]:
    """What is remembered of how the user wants to be worked with, and the policy that new plans begin with."""
    return await show_policy(application)


@router.put("/policy")
async def put_policy(body: dict[str, Any], application: Application) -> dict[str, Any]:
    """Remember these fields of the policy, in the place of all that were remembered."""
    return await set_policy(application, body)


@router.delete("/policy")
async def delete_policy(application: Application) -> dict[str, Any]:
    """Forget them; the defaults hold again."""
    return await clear_policy(application)


@router.get("/{plan_id}")
async def get(plan_id: str, application: Application) -> dict[str, Any]:
    """A plan with its outline, its times, and what was changed and why."""
    record = await plan_of(application, plan_id)
    return show_plan(record, await planning_of(application, record))


@router.post("/{plan_id}/replan", status_code=201)
async def replan(plan_id: str, body: Change, application: Application) -> dict[str, Any]:
    """Fit a plan to what has happened, in the background."""
    new = change_run(await plan_of(application, plan_id), body.change, now=present(application))
    return run_object(await start_run(application, new))


@router.get("/{plan_id}/why")
async def why(plan_id: str, task: str, application: Application) -> dict[str, Any]:
    """Why a task is there, and why it does not lie earlier."""
    return explain_task(await planning_of(application, await plan_of(application, plan_id)), task)


@router.get("/{plan_id}/export")
async def export(
    plan_id: str, application: Application, format_: Annotated[TextFormat, Query(alias="format")]
) -> dict[str, Any]:
    """A plan as the text of a file."""
    from loopwright.agents.planner.usecases import export_text

    return {
        "format": format_,
        "text": export_text(await planning_of(application, await plan_of(application, plan_id)), format_),
    }

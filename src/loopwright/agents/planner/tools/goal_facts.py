"""What a model understood of the goal's terms; what the user set outright stays."""

from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.agents.planner.contracts.state import GoalFacts
from loopwright.agents.planner.terms import read_terms
from loopwright.kernel.errors import InvalidInput

UNDERSTOOD = "understood"
SET = ("start", "deadline", "hours", "hours_per_week")


class FactParameters(BaseModel):
    """Time, as the goal tells of it."""

    model_config = ConfigDict(extra="forbid")

    start: date | None = None
    deadline: date | None = Field(default=None, description="The last day")
    hours: str | None = Field(default=None, description="Working hours, such as 'Mon–Fri 18:00–21:00, no Sundays'")
    hours_per_week: float | None = Field(default=None, gt=0, le=168)
    days: list[Annotated[int, Field(ge=0, le=6)]] | None = Field(default=None, description="Only these; 0 is Monday")
    days_off: list[date] | None = None
    minutes_per_day: int | None = Field(default=None, ge=1, le=1_440)
    mode: str | None = Field(default=None, description="push, relax, hybrid or manual")
    level: str | None = Field(default=None, description="What the user can do already")


def with_facts(goal: GoalFacts, facts: FactParameters | None) -> GoalFacts:
    """The goal with the facts that were open.

    Raises:
        InvalidInput: hours or dates that cannot be used.
    """
    if facts is None:
        return goal
    given: dict[str, Any] = facts.model_dump(mode="json", exclude_none=True)
    # What a model understood it may correct later; what the user set it may not.
    understood = set(goal.facts.get(UNDERSTOOD, ()))
    update = {name: given[name] for name in SET if name in given and (name in understood or not getattr(goal, name))}
    given = {name: value for name, value in given.items() if name not in SET}
    if update:
        given[UNDERSTOOD] = sorted(understood | update.keys())
    try:
        merged = GoalFacts.model_validate(goal.model_dump() | update | {"facts": goal.facts | given})
    except ValidationError as error:
        first = error.errors()[0]
        raise InvalidInput(f"The fact {first['loc']} cannot be used: {first['msg']}.") from error
    read_terms(merged)
    return merged

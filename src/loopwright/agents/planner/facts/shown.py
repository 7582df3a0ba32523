"""The facts of a plan as its user sees them: their words, and the constraint that each has become, if any."""

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any, Literal

from pydantic import Field

from loopwright.agents.planner.account.binding import bind
from loopwright.agents.planner.account.clauses import parts_of
from loopwright.agents.planner.contracts.plan import Contract
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.stated import DAY_NAMES
from loopwright.kernel.account import Claim
from loopwright.kernel.account.reading import read_statements

PLANNED = frozenset(
    (
        "on_day", "per_week", "per_day", "none_on", "only_on", "within", "gap", "free", "ends_by", "starts", "total",
        "sitting", "daily", "assigned",
    )
)  # fmt: skip
"""Checks whose values the planner schedules by; what is only measured, such as a name in a title, binds nothing."""
RELATION = {"at_most": "at most ", "at_least": "at least ", "about": "", "exactly": "exactly "}


class Fact(Contract):
    """One thing that the user has said. `state` is `constraint`, `measured` (in the account only) or `not_used`."""

    number: int = Field(ge=1)
    words: str
    source: str = ""
    state: Literal["constraint", "measured", "not_used"]
    constraint: str = ""
    check: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)


def facts_of(state: PlanningState) -> list[Fact]:
    """The facts of the goal and of all changes of it, in the order in which they were said."""
    today = state.goal.today or date.min
    texts = [("goal", state.goal.text)]
    texts += [("change", entry.reason or "") for entry in state.adaptation_log if entry.origin == "user_feedback"]
    facts: list[Fact] = []
    for source, text in texts:
        statements = [each.model_copy(update={"id": f"s{n}"}) for n, each in enumerate(read_statements(text))]
        claims = bind(statements, today)
        for statement in statements:
            if statement.kind == "context":
                continue
            claim = claims.get(statement.id)
            parts = list(parts_of(claim)) if claim is not None else []
            bound = [part for part in parts if part.check in PLANNED]
            chosen: list[Claim | None] = [*(bound or parts[:1])]
            for part in chosen or [None]:
                facts.append(_fact(len(facts) + 1, statement.text, source, part))
    return facts


def _fact(number: int, words: str, source: str, claim: Claim | None) -> Fact:
    if claim is None:
        return Fact(number=number, words=words, source=source, state="not_used")
    told = constraint_of(claim)
    kind: Literal["constraint", "measured"] = "constraint" if claim.check in PLANNED else "measured"
    return Fact(
        number=number,
        words=words,
        source=source,
        state=kind,
        constraint=told,
        check=claim.check,
        arguments={name: value for name, value in claim.arguments.items() if value not in (None, "", [], ())},
    )


def constraint_of(claim: Claim) -> str:
    """A claim in a few plain words."""
    teller = TOLD.get(claim.check)
    return teller(claim.arguments) if teller is not None else claim.check


def _days(told: Mapping[str, Any]) -> str:
    return ", ".join(DAY_NAMES[day] for day in told["weekdays"])


def _named(told: Mapping[str, Any], usual: str = "") -> str:
    return " ".join(told.get("of") or ()) or usual


def _week(told: Mapping[str, Any]) -> str:
    what = "h" if told["unit"] == "hours" else _named(told, "sessions")
    since = f" from {told['since']} on" if told.get("since") else ""
    return f"{RELATION[told['relation']]}{told['amount']:g} {what} a week{since}"


def _hours(told: Mapping[str, Any]) -> str:
    first, last = told.get("since") or told.get("not_before"), told.get("until") or told.get("not_after")
    bounds = [f"from {str(first)[:5]}"] if first else []
    bounds += [f"until {str(last)[:5]}"] if last else []
    bounds += [f"after {told['begins']}"] if told.get("begins") else []
    bounds += [f"up to {told['ends']}"] if told.get("ends") else []
    return " ".join([_days(told) if told.get("weekdays") else "every day", *bounds])


def _order(told: Mapping[str, Any]) -> str:
    before, after = " ".join(told["before"]), " ".join(told["after"])
    if told.get("day"):
        return f"“{before}” is over by {told['day']}"
    gap = f", {told['days']} days between" if told["days"] else ""
    return f"“{before}” before “{after}”{gap}"


TOLD: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "on_day": lambda told: f"{' '.join(told['event'])} on {told['date']}; work for it ends the day before",
    "per_week": _week,
    "per_day": lambda told: f"{RELATION[told['relation']]}{told['hours'] * 60:g} minutes a day",
    "none_on": lambda told: f"no {_named(told, 'work')} on {_days(told)}",
    "only_on": lambda told: f"{_named(told, 'work')} only on {_days(told)}",
    "within": _hours,
    "gap": _order,
    "free": lambda told: f"no {_named(told, 'work')} from {told['first']} to {told['last']}",
    "ends_by": lambda told: f"all is over by {told['date']}",
    "starts": lambda told: f"nothing before {told['date']}",
    "total": lambda told: f"{RELATION[told['relation']]}{told['hours']:g} h in all",
    "assigned": lambda told: f"{told['who']} does {', '.join(' '.join(item) for item in told['items'])}",
    "sitting": lambda told: f"{RELATION[told['relation']]}{told['minutes']} minutes a session",
    "daily": lambda told: f"{_named(told, 'work')} on every day",
    "titled": lambda told: f"“{' '.join(told['title'])}” in a title",
}


def fact_lines(facts: list[Fact]) -> Iterator[str]:
    """The facts for people, a line each."""
    for fact in facts:
        told = {"not_used": "not used", "measured": f"measured: {fact.constraint}"}.get(fact.state, fact.constraint)
        yield f"{fact.number:>3}  “{fact.words}”  →  {told}"

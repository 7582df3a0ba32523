"""A plan to export."""

from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from loopwright.agents.planner.contracts import (
    Dependency,
    PatternSpec,
    PlanContext,
    PlanNode,
    PlanOutline,
    Roadmap,
    Schedule,
    ScheduleBlock,
)

BERLIN = ZoneInfo("Europe/Berlin")


def node_id(number: int) -> UUID:
    return UUID(int=number)


def node(number: int, title: str, parent: int | None, kind: str, level: int, **more) -> PlanNode:
    return PlanNode(
        id=node_id(number),
        parent_id=None if parent is None else node_id(parent),
        node_type=kind,
        level=level,
        title=title,
        **more,
    )


def block(number: int, title: str, start: datetime, minutes: int, **more) -> ScheduleBlock:
    """`minutes` of elapsed time from `start`, by Berlin's clock."""
    end = (start.astimezone(ZoneInfo("UTC")) + timedelta(minutes=minutes)).astimezone(BERLIN)
    return ScheduleBlock(plan_node_id=node_id(number), title=title, start=start, end=end, **more)


NODES = [
    node(1, "Learn Spanish", None, "goal", 1, description="To B1 | by June."),
    node(2, "Basics", 1, "phase", 2),
    node(3, "Read; a, b: \\ *chapter* 1", 2, "task", 3, metadata={"estimated_minutes": 90}),
    node(4, "Talk", 1, "phase", 2),
    node(
        5,
        "Speak with Ana",
        4,
        "task",
        3,
        recurrence="weekly",
        status="blocked",
        dependencies=[Dependency(node_id=node_id(3))],
    ),
    node(6, "Book a course", 4, "task", 3, status="done"),
]
PATTERN = PatternSpec(pattern_type="progressive_accumulation_arc", subtype="learning_arc")
OUTLINE = PlanOutline(
    root_id=node_id(1),
    nodes=NODES,
    pattern=PATTERN,
    plan_context=PlanContext(assumptions=["5 hours a week"], constraints=["no Sundays"]),
)
ROADMAP = Roadmap(root_id=node_id(1), nodes=NODES, pattern=PATTERN)
SCHEDULE = Schedule(
    timezone="Europe/Berlin",
    gap=0.031,
    status="feasible",
    blocks=[
        block(5, "Speak with Ana", datetime(2027, 3, 30, 18, tzinfo=BERLIN), 60),
        block(
            3, "Read; a, b: \\ *chapter* 1", datetime(2027, 3, 25, 18, tzinfo=BERLIN), 60, notes="Line one\nline, two"
        ),
        block(3, "Read; a, b: \\ *chapter* 1", datetime(2027, 3, 26, 18, tzinfo=BERLIN), 30, tags=["quiet", "a,b"]),
        block(5, "Speak with Ana", datetime(2027, 4, 6, 23, tzinfo=BERLIN), 120),
    ],
)

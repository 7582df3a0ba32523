"""Random changes of plans, with a yes, a no, a correction or a death: the old plan survives, the diff is true."""

import random
from collections import defaultdict
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.planner.contracts.plan import ScheduleBlock
from loopwright.agents.planner.contracts.state import PlanningState
from loopwright.agents.planner.workflow.asking import as_settled
from loopwright.kernel.gates import Finished, Waiting
from loopwright.kernel.testing import MemoryJournal
from loopwright.kernel.testing.runs import Death, MortalJournal
from tests.agents.planner.workflow.playing import QUIET, Play, context, outline

CHANGES = (
    "I lost Tuesday",
    "no Wednesdays any more",
    "I am away from 11 to 15 January",
    "only 6 hours a week from now on",
    "Ich bin nächste Woche krank",
    "下周我出差",
    "move everything on Mondays to Friday",
    "skip colours",
    "I already finished sketch",
    "at most 2 hours a day from now on",
    "only in the mornings",
    "give me two more weeks",
    "my neighbour has a new dog",
    "undo the last change",
    "5 hours a week only on Tuesdays",
)
NOW = "2027-01-06T08:00:00+00:00"
BEGIN = "2027-01-04T08:00:00+00:00"
SAMPLE, MANY = 24, 500


def small_plan(chance: random.Random) -> dict[str, Any]:
    """A plan of a few tasks in two phases, with work that comes again."""
    nodes: list[dict[str, Any]] = [{"id": "g", "node_type": "goal", "level": 1, "title": "Launch the website"}]
    for number in range(2):
        key = f"p{number}"
        title = ("Design", "Build")[number]
        nodes.append({"id": key, "parent_id": "g", "node_type": "phase", "level": 2, "title": title})
        for name in (("sketch", "colours"), ("pages", "tests"))[number]:
            minutes = chance.choice((30, 60, 90, 120, 180))
            nodes.append({"id": name, "parent_id": key, "node_type": "task", "title": f"Do {name}"} | {
                "estimated_minutes": minutes
            })  # fmt: skip
    nodes.append(
        {"id": "again", "parent_id": "p1", "node_type": "task", "title": "Do again"}
        | {"estimated_minutes": 30, "recurrence": "weekly"}
    )
    return {"root_id": "g", "nodes": nodes}


async def settled(folder: Path, chance: random.Random) -> Play:
    play = Play(folder, [*context(), *outline(nodes=small_plan(chance))], policy=QUIET)
    assert isinstance(await play.answer_all(await play.begin()), Finished)
    return play


def places(blocks: list[ScheduleBlock]) -> dict[tuple[str, str], list[tuple[datetime, datetime]]]:
    """Where each task lies, by what its blocks show: node, and which time of it they are."""
    found: dict[tuple[str, str], list[tuple[datetime, datetime]]] = defaultdict(list)
    for block in blocks:
        number = next((tag for tag in block.tags if tag.startswith("occurrence:")), "")
        found[str(block.plan_node_id), number].append((block.start, block.end))
    return {key: sorted(spans) for key, spans in found.items()}


def assert_told(before: PlanningState, after: PlanningState) -> None:
    """The diff in the log names what is different, and nothing else."""
    assert before.schedule is not None
    assert after.schedule is not None
    old, new = places(before.schedule.blocks), places(after.schedule.blocks)
    told = after.adaptation_log[-1].portfolio_impact or {}
    assert len(told["moved"]) == sum(old[key] != new[key] for key in old if key in new)
    gone = [block for block in before.schedule.blocks if _key(block) not in new]
    assert [each["title"] for each in told["gone"]] == [block.title for block in gone]
    added = [block for block in after.schedule.blocks if _key(block) not in old]
    assert [each["title"] for each in told["added"]] == [block.title for block in added]


def _key(block: ScheduleBlock) -> tuple[str, str]:
    return str(block.plan_node_id), next((tag for tag in block.tags if tag.startswith("occurrence:")), "")


async def changed(folder: Path, seed: int) -> None:
    chance = random.Random(seed)
    play = await settled(folder, chance)
    before = play.state
    words, way = chance.choice(CHANGES), chance.choice(("yes", "no", "correct", "die"))
    fatal, stored = chance.randrange(3, 30), chance.random() < 0.5
    journal = MortalJournal(dies_at=[fatal], stored=stored) if way == "die" else MemoryJournal()
    change = Play(folder, [], policy=QUIET, rooms=play.rooms, journal=journal)
    change.settings = {"replan": True, "now": NOW}
    try:
        outcome = await change.begin(words)
        if way == "correct" and isinstance(outcome, Waiting) and change.gate.kind == "plan":
            outcome = await change.answer({"decision": "reject", "comment": "no Thursdays any more"})
        while isinstance(outcome, Waiting):
            refused = way == "no" and change.gate.kind == "plan"
            outcome = await change.answer({"decision": "reject"} if refused else None)
    except Death:
        outcome = None
    after = change.state
    said_yes = after.settled is None and len(after.adaptation_log) > len(before.adaptation_log)
    if said_yes:  # a process may die between the yes and the end of its run
        assert way != "no"
        assert outcome is None or isinstance(outcome, Finished)
        assert_told(before, after)
        return
    kept = as_settled(after)
    assert kept.schedule == before.schedule, words
    assert kept.roadmap == before.roadmap, words
    assert kept.goal.deadline == before.goal.deadline


@pytest.mark.parametrize("seed", range(SAMPLE))
async def test_a_change_is_what_its_diff_says_or_nothing(tmp_path: Path, seed: int) -> None:
    await changed(tmp_path, seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(SAMPLE, MANY))
async def test_five_hundred_changes(tmp_path: Path, seed: int) -> None:
    await changed(tmp_path, seed)


async def test_what_is_left_out_is_named_and_not_ticked(tmp_path: Path) -> None:
    play = await settled(tmp_path, random.Random(1))
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    await change.answer_all(await change.begin("skip colours"))
    roadmap = change.state.roadmap
    assert roadmap is not None
    (colours,) = [node for node in roadmap.nodes if node.title == "Do colours"]
    assert (colours.status, colours.progress) == ("dropped", 0.0)
    assert (change.state.adaptation_log[-1].portfolio_impact or {})["dropped"] == ["Do colours"]


@pytest.mark.parametrize(
    ("words", "status", "titles"),
    [
        ("colours falls away", "dropped", {"Do colours"}),
        ("I also need a sales page, 2 hours, before January 30 2027", "planned", {"Sales page"}),
    ],
)
async def test_single_tasks_go_and_come(tmp_path: Path, words: str, status: str, titles: set[str]) -> None:
    play = await settled(tmp_path, random.Random(1))
    before = {node.id for node in play.state.roadmap.nodes} if play.state.roadmap is not None else set()
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    await change.answer_all(await change.begin(words))
    assert change.state.roadmap is not None
    new = {node.title: node for node in change.state.roadmap.nodes if node.status == "dropped" or node.id not in before}
    assert titles <= new.keys()
    assert all((new[title].status == "dropped") == (status == "dropped") for title in titles)
    assert change.state.goal.deadline == play.state.goal.deadline


async def replanned(tmp_path: Path, words: str, now: str = NOW) -> Play:
    play = await settled(tmp_path, random.Random(1))
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": now})
    await change.answer_all(await change.begin(words))
    return change


def first_and_last(state: PlanningState, title: str) -> tuple[datetime, datetime]:
    held = [block for block in (state.schedule.blocks if state.schedule is not None else []) if block.title == title]
    return min(block.start for block in held), max(block.end for block in held)


async def test_a_task_changes_its_place_with_another(tmp_path: Path) -> None:
    before = (await settled(tmp_path / "before", random.Random(1))).state
    assert first_and_last(before, "Do sketch")[1] <= first_and_last(before, "Do colours")[0]
    for words in ("do the colours before the sketch", "swap sketch and colours", "erst die colours, dann die sketch"):
        after = (await replanned(tmp_path / words[:3], words, BEGIN)).state
        assert first_and_last(after, "Do colours")[1] <= first_and_last(after, "Do sketch")[0], words
        assert after.goal.deadline == before.goal.deadline


async def test_what_comes_in_a_later_part_may_come_first(tmp_path: Path) -> None:
    after = (await replanned(tmp_path, "the tests come before the sketch", BEGIN)).state
    assert first_and_last(after, "Do tests")[1] <= first_and_last(after, "Do sketch")[0]


async def test_the_last_day_of_one_task_is_not_that_of_the_plan(tmp_path: Path) -> None:
    change = await replanned(tmp_path, "all of the pages must be finished by January 20 2027")
    assert first_and_last(change.state, "Do pages")[1].date() <= date(2027, 1, 20)
    assert change.state.goal.deadline == date(2027, 2, 26)
    statuses = {node.status for node in change.state.roadmap.nodes} if change.state.roadmap is not None else set()
    assert not statuses & {"done", "dropped"}
    assert "2027-01-20" in change.state.response_text


async def test_a_task_takes_as_long_as_is_said(tmp_path: Path) -> None:
    state = (await replanned(tmp_path, "the pages will take 7 hours")).state
    held = [
        block for block in (state.schedule.blocks if state.schedule is not None else []) if block.title == "Do pages"
    ]
    assert sum((block.end - block.start).total_seconds() for block in held) == 7 * 3600


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        ("Die Plakate fallen weg", "Der Plan bleibt, wie er ist. Keine Aufgabe"),
        ("海报不印了", "计划保持不变。计划里没有"),
        ("the violin lessons must be cancelled, forget the violin", "The plan stays as it is. No task"),
    ],
)
async def test_a_refusal_speaks_the_language_of_the_change(tmp_path: Path, words: str, begins: str) -> None:
    change = await replanned(tmp_path, words)
    assert change.state.response_text.startswith(begins)


@pytest.mark.parametrize(
    ("words", "told"),
    [("the pages are already done", "Done: Do pages."), ("Die pages sind schon fertig", "Erledigt: Do pages.")],
)
async def test_what_is_done_is_told_in_the_language_of_the_change(tmp_path: Path, words: str, told: str) -> None:
    state = (await replanned(tmp_path, words)).state
    statuses = {node.title: node.status for node in (state.roadmap.nodes if state.roadmap is not None else [])}
    assert [title for title, status in statuses.items() if status == "done"] == ["Do pages"]
    assert told in state.response_text


async def test_hours_from_a_day_on_leave_those_before_it(tmp_path: Path) -> None:
    state = (await replanned(tmp_path, "from January 18 on mornings only")).state
    blocks = state.schedule.blocks if state.schedule is not None else []
    later = [block for block in blocks if block.start.date() >= date(2027, 1, 18)]
    sooner = [block for block in blocks if date(2027, 1, 7) <= block.start.date() < date(2027, 1, 18)]
    assert later
    assert all(block.end.hour <= 12 for block in later)
    assert all(block.start.hour >= 9 for block in sooner)


async def test_an_undo_brings_the_plan_back_block_for_block(tmp_path: Path) -> None:
    play = await settled(tmp_path, random.Random(2))
    before = play.state.schedule
    for words in ("no Wednesdays any more", "undo the last change"):
        change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
        await change.answer_all(await change.begin(words))
    assert change.state.schedule == before
    assert change.state.adaptation_log[-1].action == "took back the last change"


async def test_a_correction_is_tried_together_with_the_change(tmp_path: Path) -> None:
    play = await settled(tmp_path, random.Random(3))
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    await change.begin("I am away on 11 January")
    await change.answer_all(await change.answer({"decision": "reject", "comment": "no Thursdays any more"}))
    facts = change.state.goal.facts
    assert "2027-01-11" in facts["days_off"]
    assert 3 not in facts["days"]
    assert change.state.adaptation_log[-1].reason == "I am away on 11 January – no Thursdays any more"


async def test_less_time_from_the_middle_of_a_week_begins_on_the_day_that_was_named(tmp_path: Path) -> None:
    play = await settled(tmp_path, random.Random(1))
    assert play.state.goal.hours_per_week is None or play.state.goal.hours_per_week > 1
    play.state.goal.stated.append("hours_per_week")
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    await change.answer_all(await change.begin("only 1 hour a week from 15 January"))
    assert change.state.schedule is not None
    begun = {block.start.date() for block in change.state.schedule.blocks}
    assert not begun & {date(2027, 1, 15), date(2027, 1, 16), date(2027, 1, 17)}


async def test_a_change_that_does_not_fit_offers_nothing_that_takes_it_back(tmp_path: Path) -> None:
    play = await settled(tmp_path, random.Random(1))
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    outcome = await change.begin("at most 15 minutes a day from now on")
    assert isinstance(outcome, Waiting)
    offered = [option for question in change.gate.questions for option in question.options or ()]
    assert not any("minutes a day" in option for option in offered)
    assert isinstance(await change.answer_all(outcome), Finished)
    assert change.state.schedule is not None
    spent: dict[date, float] = defaultdict(float)
    for block in change.state.schedule.blocks:
        spent[block.start.date()] += (block.end - block.start).total_seconds() / 60
    assert max(minutes for day, minutes in spent.items() if day > date(2027, 1, 6)) <= 15


async def test_a_change_that_contradicts_the_plan_is_asked_about_and_changes_nothing_by_itself(tmp_path: Path) -> None:
    play = await settled(tmp_path, random.Random(1))
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    outcome = await change.begin("8 hours a week only on Tuesdays, at most 2 hours a day")
    assert isinstance(outcome, Waiting)
    assert "8 hours a week" in change.gate.questions[0].question
    await change.answer_all(outcome)
    assert as_settled(change.state).schedule == play.state.schedule


async def test_an_event_is_known_by_a_part_of_its_name(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline(nodes=small_plan(random.Random(1)))], policy=QUIET)
    play.settings = {"deadline": None}
    await play.answer_all(await play.begin("anatomy on February 20 2027 and physiology on February 24 2027"))
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    await change.answer_all(await change.begin("the anatomy exam was moved to February 22 2027"))
    assert {each.title: str(each.date) for each in change.state.goal.appointments}["anatomy"] == "2027-02-22"
    (done,) = change.stored("run_completed")
    assert [each["text"] for each in done["account"]["kept"]] == ["the anatomy exam was moved to February 22 2027"]
    assert not done["account"]["not_used"], "the day that it had is superseded, not lost"


async def test_a_day_less_shortens_nothing_for_what_comes_again_in_another_part_only(tmp_path: Path) -> None:
    plan = small_plan(random.Random(1))
    for node in plan["nodes"]:
        if node["id"] == "again":
            node |= {"parent_id": "p0", "estimated_minutes": 120, "recurrence": "daily"}
        elif node["id"] in ("pages", "tests"):
            node["estimated_minutes"] = 600
    play = Play(tmp_path, [*context(), *outline(nodes=plan)], policy=QUIET)
    assert isinstance(await play.answer_all(await play.begin()), Finished)
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    await change.answer_all(await change.begin("no Fridays any more"))
    assert change.state.roadmap is not None
    minutes = {node.title: node.metadata.get("estimated_minutes") for node in change.state.roadmap.nodes}
    assert minutes["Do pages"] == minutes["Do tests"] == 600


async def test_who_is_ill_through_most_of_a_part_does_it_later_and_whole(tmp_path: Path) -> None:
    play = await settled(tmp_path, random.Random(1))
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    await change.answer_all(await change.begin("I am ill until January 29"))
    assert change.state.schedule is not None
    assert change.state.roadmap is not None
    assert play.state.roadmap is not None
    begun = [block.start.date() for block in change.state.schedule.blocks if block.start.isoformat() > NOW]
    assert min(begun) > date(2027, 1, 29)
    before, after = (
        {node.title: node.metadata.get("estimated_minutes") for node in roadmap.nodes}
        for roadmap in (play.state.roadmap, change.state.roadmap)
    )
    assert after == before


async def test_a_part_that_no_task_is_called_after_ticks_nothing(tmp_path: Path) -> None:
    """P8: "the writing part" ticked "Write and review question cards"."""
    play = await settled(tmp_path, random.Random(1))
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    await change.answer_all(await change.begin("I already finished the testing part"))
    kept = as_settled(change.state)
    assert kept.roadmap == play.state.roadmap


async def test_the_hours_of_whoever_does_nothing_any_more_are_no_hours_of_the_plan(tmp_path: Path) -> None:
    play = Play(tmp_path, [*context(), *outline(nodes=small_plan(random.Random(1)))], policy=QUIET)
    await play.answer_all(
        await play.begin("launch my website, Karl does the roof and can only help on Friday afternoons")
    )
    change = Play(tmp_path, [], policy=QUIET, rooms=play.rooms, settings={"replan": True, "now": NOW})
    await change.answer_all(await change.begin("Karl is ill, Jonas does the roof"))
    assert change.state.roadmap is not None
    titles = {node.title for node in change.state.roadmap.nodes}
    assert any("Jonas" in title for title in titles)
    assert not any("Karl" in title for title in titles)

"""Evaluations: trials are ordinary runs, side by side, and whatever is over is not run again."""

import asyncio
import json
from pathlib import Path

import pytest

from loopwright.app.loopwright import Loopwright
from loopwright.app.settings import Settings
from loopwright.evals.cases import load_cases
from loopwright.evals.evaluation import EvaluationFolder, Plan, folder_for
from loopwright.evals.trials import settings_for
from loopwright.kernel.errors import Conflict, InvalidInput, NotFound
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.testing.runs import as_response
from tests.evals.clerk import ClerkModel, evaluated
from tests.support.application import settings_in

NOTE = """
- id: tea
  agent: clerk
  message: note tea
  checks: [completed, {file: {path: note.txt, equals: tea}}]
"""
GATES = """
- id: pays
  agent: clerk
  messages: [pay rent, 'ask_user Which colour?', note blue]
  answers: [{permission: approve}, {questions: {"Which colour?": Blue}}]
  options: {kind: monthly}
  checks:
    - completed
    - tool: {called: pay, with: {words: rent}, succeeded: true}
    - text: {contains: noted blue}
    - result: {at: /kind, equals: monthly}
    - result: {at: /notes, equals: [given.txt, note.txt]}
  files: {given.txt: already here}
- id: refuses
  agent: clerk
  message: pay rent
  unanswered: reject
  checks: [completed, {tool: {not_called: pay}}]
- id: waits
  agent: clerk
  message: pay rent
  answers: [{questions: {"0": Blue}}]
  checks: [{result: {at: /type, equals: waiting}}, {tool: {not_called: pay}}]
"""


async def runs_in(root: Path) -> list[str]:
    async with Loopwright.open(Settings(home=root / "home", openai_base_url="offline")) as app:
        return [record.run_id for record in await app.stores.runs.find(limit=1_000)]


async def test_two_models_side_by_side(tmp_path: Path) -> None:
    """Each with runs and a folder of its own; who says “done” without having done it is counted."""
    clients = {"good": ClerkModel(), "lazy": ClerkModel(lazy=True)}
    report = await evaluated(tmp_path, NOTE, clients=clients, repeat=3)
    good, lazy = report.summaries
    assert (good.passed, good.trials, good.false_done) == (3, 3, 0)
    assert (lazy.passed, lazy.trials, lazy.false_done) == (0, 3, 3)
    assert (good.mean_steps, lazy.mean_steps, good.mean_tokens) == (2, 1, 30)
    (pair,) = report.comparisons
    assert (pair.cases, pair.first_better, pair.p) == (1, 1, 1.0)
    assert len({each.folder for each in report.results}) == len(await runs_in(tmp_path / "evaluation")) == 6
    failed = next(each for each in report.results if each.model == "lazy")
    assert [verdict.passed for verdict in failed.verdicts] == [True, False]
    told = [line.type for line in failed.excerpt]
    assert failed.answered_by == ["scripted"]
    assert told == ["user_message", "stage_changed", "model_response", "stage_changed", "run_completed"]


async def test_messages_answers_files_options(tmp_path: Path) -> None:
    """A session of several messages, gates that the case answers, refuses, or leaves open."""
    report = await evaluated(tmp_path, GATES)
    by_case = {each.case: each for each in report.results}
    assert {case: each.status for case, each in by_case.items()} == dict.fromkeys(by_case, "passed"), report
    assert len(by_case["pays"].runs) == 3
    assert (by_case["waits"].ended, by_case["waits"].unused_answers) == ("waiting", ['{"questions": {"0": "Blue"}}'])
    assert "permission" in by_case["waits"].said


async def test_trials_run_at_once_but_no_more_than_asked_for(tmp_path: Path) -> None:
    """With three jobs three trials wait for the model at once."""
    model = ClerkModel(gate=asyncio.Event())

    async def open_at_three() -> None:
        while model.at_once < 3:  # noqa: ASYNC110 - trials tell nobody
            await asyncio.sleep(0.001)
        model.gate.set()  # type: ignore[union-attr]

    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        group.create_task(open_at_three())
        await evaluated(tmp_path, NOTE, clients={"m": model}, repeat=8, jobs=3)
    assert model.most_at_once == 3


async def test_what_is_over_is_not_run_again(tmp_path: Path) -> None:
    """Neither by the same call, nor with another model beside it; changed checks look at the same runs."""
    model = ClerkModel()
    await evaluated(tmp_path, NOTE, clients={"m": model})
    asked, runs = model.asked, await runs_in(tmp_path / "evaluation")
    report = await evaluated(tmp_path, NOTE, "m", "other", clients={"m": model, "other": ClerkModel()})
    assert (model.asked, [each.passed for each in report.results]) == (asked, [True, True])
    changed = NOTE.replace("equals: tea", "equals: coffee")
    report = await evaluated(tmp_path, changed, clients={"m": model})
    assert (model.asked, report.summaries[0].passed, report.results[0].runs) == (asked, 0, runs)
    report = await evaluated(tmp_path, changed.replace("note tea", "note coffee"), clients={"m": model})
    assert (model.asked > asked, report.summaries[0].passed) == (True, 1)


async def test_a_model_that_is_away_says_nothing_of_itself(tmp_path: Path) -> None:
    """The trial counts in no rate, and the next call tries it again, in a folder of its own."""
    model = ClerkModel(away=1)
    report = await evaluated(tmp_path, NOTE, clients={"m": model})
    (summary,) = report.summaries
    assert (summary.errors, summary.trials, summary.rate) == (1, 0, None)
    assert "the model is away" in report.results[0].error
    again = await evaluated(tmp_path, NOTE, clients={"m": model})
    assert (again.summaries[0].passed, again.results[0].attempt) == (1, 2)
    assert again.results[0].folder != report.results[0].folder


async def test_a_broken_check_is_looked_at_again_without_a_run(tmp_path: Path) -> None:
    """It is the check that says nothing; the run is kept."""
    model, mine = ClerkModel(), tmp_path / "mine.py"
    mine.write_text("def good(run): return run.nonsense")
    cases = NOTE.replace("[completed,", "[{python: 'mine:good'},")
    report = await evaluated(tmp_path, cases, clients={"m": model})
    assert (report.summaries[0].errors, "AttributeError" in report.results[0].error) == (1, True)
    mine.write_text("def good(run): return run.completed")
    asked = model.asked
    again = await evaluated(tmp_path, cases, clients={"m": model})
    assert (again.summaries[0].passed, again.results[0].runs, model.asked) == (1, report.results[0].runs, asked)


class JudgeModel(ClerkModel):
    """Says what it is told to say, in order."""

    def __init__(self, *says: str) -> None:
        super().__init__()
        self.says = says

    async def complete(self, request: object, on_delta: object = None) -> ModelResponse:
        self.requests.append(request)  # type: ignore[arg-type]
        return as_response(self.says[len(self.requests) - 1]).model_copy(update={"cost_usd": 0.25})


async def test_a_judge(tmp_path: Path) -> None:
    """It is shown the files and the words, its verdict is marked, an unusable answer is asked for once more."""
    cases = NOTE.replace("[completed,", "[{judge: 'Is tea noted?'},")
    judge = JudgeModel("I think so.", '{"reason": "note.txt has tea", "verdict": "pass"}')
    clients = {"m": ClerkModel(), "judge": judge}
    report = await evaluated(tmp_path, cases, "m", clients=clients, judge="judge")
    verdict = report.results[0].verdicts[0]
    assert (verdict.by, verdict.passed, verdict.judge, verdict.found) == ("model", True, "scripted", "note.txt has tea")
    assert report.results[0].judge_usd == 0.5
    system, material = judge.requests[0].messages
    assert "Is tea noted?" in system.content
    shown = json.loads(material.content)
    assert shown["files"] == [{"path": "note.txt", "bytes": 3, "text": "tea"}]
    assert (shown["user_said"], shown["tools_called"][0]["tool"]) == (["note tea"], "note")
    mute = JudgeModel("no", "no", '{"reason": "now", "verdict": "fail"}')
    report = await evaluated(tmp_path, cases, "m", clients={"m": ClerkModel(), "j": mute}, judge="j", root="mute")
    assert (report.summaries[0].errors, "gave no verdict" in report.results[0].error) == (1, True)
    report = await evaluated(
        tmp_path, cases, "m", clients={"m": ClerkModel(lazy=True), "j": mute}, judge="j", root="mute"
    )
    assert (report.summaries[0].passed, report.summaries[0].errors) == (
        0,
        0,
    )  # the run is kept, the judge is asked again


async def test_plans_that_cannot_be_run_are_refused_before_anything_is(tmp_path: Path) -> None:
    """A missing agent, recording or judge; a folder that is somebody else's."""
    with pytest.raises(NotFound, match="nobody"):
        await evaluated(tmp_path, NOTE.replace("clerk", "nobody"))
    with pytest.raises(InvalidInput, match="case tea has no recording"):
        await evaluated(tmp_path, NOTE, "recorded")
    judged = NOTE.replace("[completed,", "[{judge: 'Is it good?'},")
    with pytest.raises(InvalidInput, match="case tea is judged"):
        await evaluated(tmp_path, judged)
    with pytest.raises(InvalidInput, match="no judge"):
        await evaluated(tmp_path, judged, judge="offline")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(InvalidInput, match="holds other things"):
        await evaluated(tmp_path, NOTE, root="mine")
    with EvaluationFolder.opened(tmp_path / "evaluation"), pytest.raises(Conflict, match="Another process"):
        await evaluated(tmp_path, NOTE)


async def test_a_torn_last_line_is_what_a_kill_leaves(tmp_path: Path) -> None:
    """The trial is looked at again; anything else that cannot be read is refused."""
    model = ClerkModel()
    await evaluated(tmp_path, NOTE, clients={"m": model}, repeat=2)
    results = tmp_path / "evaluation" / "results.jsonl"
    whole = results.read_bytes()
    results.write_bytes(whole[:-20])
    asked = model.asked
    report = await evaluated(tmp_path, NOTE, clients={"m": model}, repeat=2)
    assert (report.summaries[0].passed, model.asked) == (2, asked)
    assert len(results.read_bytes().splitlines()) == 2
    results.write_bytes(b"nonsense\n" + whole)
    with pytest.raises(InvalidInput, match=r"results\.jsonl cannot be read"):
        await evaluated(tmp_path, NOTE)


async def test_without_a_folder_an_unfinished_evaluation_goes_on(tmp_path: Path) -> None:
    """The newest of the same cases and models, unless it is over; else the next number."""
    report = await evaluated(tmp_path, NOTE, clients={"m": ClerkModel(away=1)}, root="all/1")
    assert report.summaries[0].errors == 1
    settings = settings_in(tmp_path, openai_base_url="offline")
    plan = Plan(load_cases(tmp_path / "cases.yaml"), ["m"], settings)
    assert folder_for(plan, tmp_path / "none") == tmp_path / "none" / "1"
    assert folder_for(plan, tmp_path / "all") == tmp_path / "all" / "1"
    assert folder_for(Plan(plan.cases, ["m", "n"], settings), tmp_path / "all") == tmp_path / "all" / "2"
    await evaluated(tmp_path, NOTE, clients={"m": ClerkModel()}, root="all/1")
    assert folder_for(plan, tmp_path / "all") == tmp_path / "all" / "2"


async def test_no_trial_is_begun_once_the_money_is_spent(tmp_path: Path) -> None:
    """What was not begun is told; with more money the evaluation goes on."""
    model = ClerkModel(usd=0.25)
    report = await evaluated(tmp_path, NOTE, clients={"m": model}, repeat=4, jobs=1, max_usd=1.0)
    assert (report.left, report.summaries[0].trials, report.summaries[0].total_usd) == (2, 2, 1.0)
    report = await evaluated(tmp_path, NOTE, clients={"m": model}, repeat=4, jobs=1, max_usd=9.0)
    assert (report.left, report.summaries[0].mean_usd) == (0, 0.5)


async def test_models_that_are_written_alike_have_folders_of_their_own(tmp_path: Path) -> None:
    """Names may hold anything."""
    names = ("a/b", "a-b", "a b", "..")
    report = await evaluated(tmp_path, NOTE, clients={name: ClerkModel() for name in names})
    assert len({each.folder for each in report.results}) == len({each.runs[0] for each in report.results}) == 4
    runs = tmp_path / "evaluation" / "runs"
    assert len([path for path in runs.glob("*/*") if (path / "note.txt").is_file()]) == 4


def test_names_of_models(tmp_path: Path) -> None:
    """A key is sent to no other endpoint than its own, and no other model steps in for the one that is meant."""
    settings = Settings(
        home=tmp_path,
        openai_base_url="https://a.example/v1",
        openai_api_key="secret",  # type: ignore[arg-type]
        model_standard="x",
        model_standard_fallback="y",
    )
    own = settings_for("big", settings)
    assert (own.openai_base_url, own.model_fast, own.model_standard) == ("https://a.example/v1", "big", "big")
    assert (own.model_standard_fallback, own.openai_api_key is None) == (None, False)
    assert settings_for("big@https://a.example/v2", settings).openai_api_key is not None
    other = settings_for("qwen:4b@http://127.0.0.1:11434/v1", settings)
    assert (other.openai_base_url, other.model_standard) == ("http://127.0.0.1:11434/v1", "qwen:4b")
    assert other.openai_api_key is None
    plain = settings_for("http://127.0.0.1:8080/v1", settings)
    assert (plain.openai_base_url, plain.model_standard) == ("http://127.0.0.1:8080/v1", None)
    assert settings_for("offline", settings).offline
    with pytest.raises(InvalidInput, match="No endpoint is set"):
        settings_for("big", Settings(home=tmp_path))
    with pytest.raises(InvalidInput, match="is no address"):
        settings_for("big@ftp://x", settings)

"""A recorded run as a case: what it holds, and that its recording answers in the model's place."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopwright.app.answering import answer_run
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.evals.cases import load_cases
from loopwright.evals.evaluation import Plan, Report, evaluate
from loopwright.evals.recording import RecordedModel, Recording, RunJournal, record_case
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.spec import AgentSpec, Stage
from tests.evals.clerk import CLERK, ClerkModel, installation, introduce
from tests.support.application import settings_in


async def played(app: Loopwright, folder: Path, message: str, *answers: Any, session: str | None = None) -> Any:
    """A run of the clerk with these answers at its gates."""
    new = NewRun(message, "clerk", session, folder=folder, options={"kind": "x"})
    record = await create_run(app, new)
    app.dispatcher.dispatch(record.run_id)
    await app.dispatcher.wait(record.run_id)
    for answer in answers:
        claim = await answer_run(app, record.run_id, answer)
        app.dispatcher.dispatch(record.run_id, claim, "answered")
        await app.dispatcher.wait(record.run_id)
    return await app.stores.runs.get(record.run_id)


async def replayed(folder: Path, case: Path, spec: AgentSpec = CLERK, root: str = "replay") -> Report:
    introduce(spec)
    plan = Plan(load_cases(case), ["recorded"], settings_in(folder, openai_base_url="offline"))
    return await evaluate(plan, folder / root, lambda result, done, total: None)


async def recorded(folder: Path) -> Path:
    """A case of a session with every kind of request and gate."""
    home = folder / "project"
    (home / "src").mkdir(parents=True)
    (home / "src" / "given.txt").write_text("given")
    os.utime(home / "src" / "given.txt", (0, 0))
    async with installation(folder, ClerkModel()) as app:
        first = await played(app, home, "draft a letter")
        await played(app, home, "pay rent", {"decision": "approve"}, session=first.session_id)
        last = await played(app, home, "ask_user Which colour?", {"answers": {"0": "Blue"}}, session=first.session_id)
        await played(app, home, "note what came later", session=first.session_id)
        made = await record_case(app, last.run_id, folder / "cases" / "letters.yaml")
    assert made.notes == [
        "Written since the run began, so that what they were before is not known: draft.json, note.txt"
    ]
    return made.path


async def test_a_session_becomes_a_case_that_passes(tmp_path: Path) -> None:
    """Its messages, its files at the start, the answers at gates, checks of what happened; no model is asked."""
    path = await recorded(tmp_path)
    data = yaml.safe_load(path.read_text())
    assert data["messages"] == ["draft a letter", "pay rent", "ask_user Which colour?"]
    assert data["answers"] == [{"permission": "approve"}, {"questions": {"Which colour?": "Blue"}}]
    assert (data["id"], data["agent"], data["options"]) == ("letters", "clerk", {"kind": "x"})
    assert (path.parent / data["files"] / "src" / "given.txt").read_text() == "given"
    checks = data["checks"]
    assert checks[0] == "completed"
    assert {"file": "draft.json"} in checks
    assert [each["tool"]["called"] for each in checks if "tool" in each] == ["draft", "pay", "ask_user"]
    path.write_text(path.read_text().replace("- file: note.txt\n", ""))  # a later run has written it
    report = await replayed(tmp_path, path)
    (result,) = report.results
    assert result.passed, result
    assert result.verdicts[-1].check == "recording used up"
    assert (Path(result.folder) / "draft.json").read_text() == '{"title": "a letter"}'


async def test_changed_code_is_told(tmp_path: Path) -> None:
    """An agent that asks less, or in another stage, or does its work otherwise, fails; a new prompt text does not."""
    path = await recorded(tmp_path)
    path.write_text(path.read_text().replace("- file: note.txt\n", ""))

    async def reworded(run: Any) -> str:
        return "You are another clerk."

    report = await replayed(tmp_path, path, replace(CLERK, system_prompt=reworded), "reworded")
    assert report.results[0].passed

    async def elsewhere(run: Any) -> str:
        return "desk"

    moved = replace(
        CLERK,
        stages=(Stage("desk", CLERK.stages[0].policy),),
        transitions=(replace(CLERK.transitions[0], source="desk"),),
        entry=elsewhere,
    )
    failed = (await replayed(tmp_path, path, moved, "moved")).results[0]
    assert (failed.status, failed.false_done) == ("failed", False)
    assert "no answer for this request in 'desk'" in failed.verdicts[0].found
    open_to_all = replace(CLERK, stages=(Stage("work", replace(CLERK.stages[0].policy, tools=frozenset({"pay"}))),))
    failed = (await replayed(tmp_path, path, open_to_all, "fewer")).results[0]
    assert {verdict.check for verdict in failed.verdicts if not verdict.passed} >= {"tool draft called"}
    assert failed.verdicts[-1].passed is False
    assert "were not asked for" in failed.verdicts[-1].found


async def test_a_recording_goes_on_where_a_killed_replay_was(tmp_path: Path) -> None:
    """The answers that its journals hold are used up."""
    path = await recorded(tmp_path)
    recording = Recording.read(path.with_suffix(".recording.jsonl"))
    assert [answer.to for answer in recording.answers] == ["step", "inner", "step", "step", "step", "step", "step"]
    async with Loopwright.open(settings_in(tmp_path, openai_base_url="offline")) as app:
        journal = await app.stores.journal.read(recording.runs[0])
    cut = next(n for n, event in enumerate(journal) if event.type == "tool_model_response")
    for given, left in ((len(journal), 4), (cut + 1, 5), (cut, 6)):
        assert RecordedModel.after(recording, [RunJournal("", journal[:given])]).left == left


async def test_what_cannot_be_recorded(tmp_path: Path) -> None:
    """A run that is not over, a file that is there, a folder that is too large; a broken recording."""
    async with installation(tmp_path, ClerkModel()) as app:
        waiting = await played(app, tmp_path / "a", "pay rent")
        with pytest.raises(InvalidInput, match="waiting_input"):
            await record_case(app, waiting.run_id, tmp_path / "a.yaml")
        done = await played(app, tmp_path / "b", "note tea")
        await record_case(app, done.run_id, tmp_path / "b.yaml")
        with pytest.raises(InvalidInput, match="exists"):
            await record_case(app, done.run_id, tmp_path / "b.yaml")
        (tmp_path / "c").mkdir()
        (tmp_path / "c" / "large.bin").write_bytes(bytes(50_000_001))
        os.utime(tmp_path / "c" / "large.bin", (0, 0))
        large = await played(app, tmp_path / "c", "note tea")
        with pytest.raises(InvalidInput, match="too large"):
            await record_case(app, large.run_id, tmp_path / "c.yaml")
        without = await record_case(app, large.run_id, tmp_path / "c.yaml", files=False)
        assert without.case.files == {}
    broken = tmp_path / "b.recording.jsonl"
    broken.write_text('{"recording": 2}\n')
    with pytest.raises(InvalidInput, match="is no recording"):
        Recording.read(broken)

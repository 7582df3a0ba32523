"""Agents that live in a file beside the cases, with another agent as a tool: evaluated, recorded, replayed."""

from pathlib import Path

from loopwright.app.agent_files import adopt
from loopwright.app.loopwright import Loopwright
from loopwright.app.starting import NewRun, create_run
from loopwright.evals.cases import load_cases
from loopwright.evals.evaluation import Plan, Report, evaluate
from loopwright.evals.recording import record_case
from loopwright.kernel.ports import ModelClient
from loopwright.testing import ScriptedModel, call, say
from tests.support.application import settings_in

BOSS = '''
from loopwright import Agent, tool

@tool(effect="pure")
def look(page: int) -> str:
    """Look at a page."""
    return f"page {page} is due"

checker = Agent("page-checker", "Check pages.", tools=[look], description="Checks pages.")
boss = Agent("page-boss", "Ask the checker.", tools=[checker.as_tool()])
'''
CASE = """
id: due
agent: boss.py:boss
message: Is page 3 due?
checks:
  - completed
  - text: {contains: Page 3}
  - tool: {called: look, with: {page: 3}}
  - steps: 4
"""


def script() -> ScriptedModel:
    return ScriptedModel(
        call("page_checker", message="Look at page 3."), call("look", page=3), say("It is due."), say("Page 3 is due.")
    )


async def evaluated(folder: Path, case: str, root: str, **clients: ModelClient) -> Report:
    settings = settings_in(folder, openai_base_url="offline")
    names = tuple(clients) or ("recorded",)
    plan = Plan(load_cases(folder / case), names, settings, clients=clients)
    return await evaluate(plan, folder / root, lambda result, done, total: None)


async def test_an_agent_of_a_file_is_evaluated_with_those_it_asks(tmp_path: Path) -> None:
    """Their calls, steps and tokens count; an edit of the file is another thing that is run."""
    (tmp_path / "boss.py").write_text(BOSS)
    (tmp_path / "due.yaml").write_text(CASE)
    report = await evaluated(tmp_path, "due.yaml", "e", scripted=script())
    (result,) = report.results
    assert (result.status, result.steps, len(result.runs)) == ("passed", 4, 1), result
    before = load_cases(tmp_path / "due.yaml")[0].run_digest
    (tmp_path / "boss.py").write_text(BOSS.replace("is due", "is not due"))
    assert load_cases(tmp_path / "due.yaml")[0].run_digest != before


async def test_what_the_asked_agents_model_said_is_recorded_too(tmp_path: Path) -> None:
    """The home remembers the file; the recording answers both agents, each its own."""
    (tmp_path / "boss.py").write_text(BOSS)
    settings = settings_in(tmp_path, openai_base_url="offline")
    async with Loopwright.open(settings) as app:
        app.model = script()
        name = adopt(settings.home, str(tmp_path / "boss.py:boss"))
        record = await create_run(app, NewRun("Is page 3 due?", name, folder=tmp_path / "session"))
        app.dispatcher.dispatch(record.run_id)
        await app.dispatcher.wait(record.run_id)
        made = await record_case(app, record.run_id, tmp_path / "rec" / "due.yaml")
    assert made.case.agent == "page-boss"
    (result,) = (await evaluated(tmp_path, "rec", "replay")).results
    assert (result.status, result.steps) == ("passed", 4), result
    assert result.verdicts[-1].check == "recording used up"

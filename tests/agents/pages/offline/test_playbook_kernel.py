"""The scenarios through the real loop: kernel, nine tools, stores, and the offline model behind its own wire."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.pages.offline import PLAYBOOK
from loopwright.agents.pages.spec import AGENT as PAGES
from loopwright.app.loopwright import Stores
from loopwright.kernel.compaction import AU2
from loopwright.kernel.events import Event, GateAnswered
from loopwright.kernel.gates import Failed, Finished, Waiting, default_answers
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.offline import PLAYBOOK as KERNEL_PLAYBOOK
from loopwright.kernel.run import AgentRun
from loopwright.kernel.testing import resume_run, start_run
from loopwright.models.offline import create_offline_client
from loopwright.stores.database import Database
from tests.support.stores import pages_on


@dataclass
class Project:
    """A session with its stores and a model; `events` are those of the last run."""

    stores: Stores
    model: Any
    folder: Path
    spec: Any = PAGES
    events: list[Event] = field(default_factory=list)

    async def run(self, message: str, answers: dict[str, Any] | None = None, **options: Any) -> dict[str, Any]:
        """A run to its end: its result. Questions are answered, by default as `--yes` does."""
        run = start_run(self.spec, self.model, message, services=self.stores, output_dir=self.folder, options=options)
        outcome = await run_agentic_loop(run)
        while isinstance(outcome, Waiting):
            given = {"answers": answers} if answers is not None else default_answers(outcome.gate)
            run = resume_run(run, payloads=[GateAnswered(gate_id=outcome.gate.gate_id, answer=given)])
            outcome = await run_agentic_loop(run)
        self.events = await run.journal.read(run.state.run_id)
        assert isinstance(outcome, Finished), outcome if isinstance(outcome, Failed) else type(outcome)
        return self._result(run)

    def _result(self, run: AgentRun) -> dict[str, Any]:
        completed = self.events[-1]
        assert completed.type == "run_completed"
        result: dict[str, Any] = completed.payload["result"]
        return result | {"text": completed.payload["text"], "steps": run.state.steps}

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        """The payloads of one type of event of the last run."""
        return [event.payload for event in self.events if event.type == kind]

    @property
    def tools(self) -> list[str]:
        """The tools that the last run called, in order."""
        return [payload["name"] for payload in self.of_type("tool_call")]

    @property
    def model_calls(self) -> int:
        """How often the last run asked the model."""
        return len(self.of_type("model_response")) + len(self.of_type("tool_model_response"))


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Project]:
    """An empty project."""
    async with await Database.open(None, folder / "home") as database:
        stores = await pages_on(database)
        await stores.sessions.create(agent="pages", session_id="session")
        model = create_offline_client([PLAYBOOK, KERNEL_PLAYBOOK])
        yield Project(stores, model, folder / "session")


@pytest.fixture
async def project(tmp_path: Path) -> AsyncIterator[Project]:
    async with opened(tmp_path) as made:
        yield made


async def test_scenario_a(project: Project) -> None:
    """A detailed brief: no question, five valid pages, at most twelve model calls."""
    result = await project.run("Netflix clone, 5 pages, dark theme, red accent")
    assert len(result["pages"]) == 5
    assert result["valid"], result["issues"]
    assert result["issues"] == []
    assert "ask_user" not in project.tools
    first_use = list(dict.fromkeys(project.tools))
    assert first_use[:3] == ["analyze_brief", "create_design_system", "generate_page"]
    assert project.model_calls <= 12
    assert not project.of_type("controller_message")
    doc = await project.stores.product_docs.get("session")
    assert doc is not None
    assert {"overview", "brand_style", "pages"} <= set(doc.sections)
    assert "offline model" in result["text"]


async def test_scenario_b(project: Project) -> None:
    """A vague brief: questions first, the answers recorded, then the app."""
    result = await project.run("make me a coffee shop app")
    (gate,) = project.of_type("gate_opened")
    assert 3 <= len(gate["questions"]) <= 5
    assert result["valid"], result["issues"]
    assert result["product_doc_updated"]
    doc = await project.stores.product_docs.get("session")
    assert doc is not None
    recorded = "".join(section.content for section in doc.sections.values())
    assert all(question["question"] in recorded for question in gate["questions"] if question.get("default"))
    assert project.model_calls <= 12


async def test_scenario_c_and_later_runs(project: Project) -> None:
    """Refinements of an app: only what is meant changes, and everything stays valid."""
    await project.run("A bakery app called Crumb with 4 pages, light theme, green accent", generate_now=True)
    before = {
        page.slug: await project.stores.pages.html("session", page.slug)
        for page in await project.stores.pages.of_session("session")
    }
    result = await project.run("make the header green")
    assert project.tools == ["change_app"]
    assert result["valid"], result["issues"]
    changed = result["text"].partition("Changed: ")[2].partition(".")[0]
    assert set(changed.split(", ")) == set(before)
    result = await project.run("add a page about our team")
    assert result["pages"][-1] == "our-team"
    assert result["valid"], result["issues"]
    result = await project.run("undo that")
    assert project.tools == ["restore_page"]
    assert "'index' is version" in result["text"]
    assert result["affected_pages"]


async def test_scenario_d(project: Project) -> None:
    """A vague feature wish: questions, then a change."""
    await project.run("A bakery app called Crumb with 3 pages, light theme, green accent", generate_now=True)
    result = await project.run("add a favorites feature")
    assert project.of_type("gate_opened")
    assert result["affected_pages"]
    assert result["valid"], result["issues"]


async def test_compaction_on_the_way(tmp_path: Path) -> None:
    """With a threshold of four messages the run compacts again and again, by the kernel's playbook, and ends well."""
    from dataclasses import replace

    async with opened(tmp_path) as project:
        project.spec = replace(PAGES, compaction=AU2(max_messages=4))
        result = await project.run("make me a coffee shop app")
        assert project.of_type("compacted")
        assert result["valid"], result["issues"]
        assert len(project.of_type("gate_opened")) == 1
        assert project.tools.count("create_design_system") == 1
        await project.run("make the header green")
        assert project.tools == ["change_app"]


async def test_small_talk_builds_nothing(project: Project) -> None:
    """The controller asks once whether that is all, and the answer stays."""
    result = await project.run("hello")
    assert result["pages"] == []
    assert project.tools == []
    assert "offline model" in result["text"]

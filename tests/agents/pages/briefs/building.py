"""A brief handed to the real agent: kernel loop, tools and stores, with the offline model; questions get defaults."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopwright.agents.pages.offline import PLAYBOOK
from loopwright.agents.pages.spec import AGENT as PAGES
from loopwright.kernel.events import GateAnswered
from loopwright.kernel.gates import Failed, Finished, Waiting, default_answers
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.offline import PLAYBOOK as KERNEL_PLAYBOOK
from loopwright.kernel.testing import resume_run, start_run
from loopwright.models.offline import create_offline_client
from loopwright.stores.database import Database
from tests.support.stores import pages_on


@dataclass(frozen=True, slots=True)
class BuiltApp:
    """What a run left behind: the session's folder, what the analysis found, and what every tool said."""

    folder: Path
    analysis: dict[str, Any]
    tool_calls: tuple[str, ...]

    @property
    def slugs(self) -> list[str]:
        """The pages that were made, by the names of their files."""
        return sorted(path.stem for path in (self.folder / "pages").glob("*.html"))

    @property
    def css(self) -> str:
        """The style sheet."""
        return (self.folder / "design-system.css").read_text(encoding="utf-8")

    def html(self, slug: str) -> str:
        """A page's file."""
        return (self.folder / "pages" / f"{slug}.html").read_text(encoding="utf-8")


async def build_app(brief: str, place: Path) -> BuiltApp:
    """Run a brief to its end, as `loopwright pages BRIEF --yes` does.

    Raises:
        AssertionError: the run did not finish, or did not analyse the brief.
    """
    folder = place / "session"
    folder.mkdir(parents=True)
    async with await Database.open(None, place / "home") as database:
        stores = await pages_on(database)
        await stores.sessions.create(agent="pages", session_id="session", output_dir=str(folder))
        model: Any = create_offline_client([PLAYBOOK, KERNEL_PLAYBOOK])
        run = start_run(PAGES, model, brief, services=stores, output_dir=folder)
        outcome = await run_agentic_loop(run)
        while isinstance(outcome, Waiting):
            answered = GateAnswered(gate_id=outcome.gate.gate_id, answer=default_answers(outcome.gate))
            run = resume_run(run, payloads=[answered])
            outcome = await run_agentic_loop(run)
        assert isinstance(outcome, Finished), outcome.message if isinstance(outcome, Failed) else outcome
        session = await stores.sessions.get("session")
        events = await run.journal.read(run.state.run_id)
    calls = tuple(event.payload["name"] for event in events if event.type == "tool_call")
    assert "analyze_brief" in calls
    return BuiltApp(folder, dict(session.metadata), calls)

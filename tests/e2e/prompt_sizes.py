"""Measures what a stage's first request tells beside the dialogue: system message, tools, stage and state.

python -m tests.e2e.prompt_sizes        writes docs/prompt-sizes.md anew
"""

import asyncio
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from loopwright.app.agents import agent as agent_named
from loopwright.app.models import open_offline_model
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.messages import ToolSchemas, split_blocks
from loopwright.kernel.ports import DeltaSink, ModelClient, ModelRequest, Profile, Tier
from loopwright.kernel.prompts import PromptRepository, split_task
from loopwright.models.body import instructions
from loopwright.models.prices import count_tokens
from tests.e2e.strict_jobs import INSTEAD, JOBS, application_with
from tests.support.materials import without_files

TABLE = Path(__file__).parents[2] / "docs" / "prompt-sizes.md"
LIMITS: dict[str, int] = {"small": 900, "frontier": 2_500}
OVER_LIMIT: set[str] = set()
"""Stages that are still over their limit, as agent/stage/profile; the goal is none."""
PROMPTS = PromptRepository({"models": "loopwright.models"})
HEAD = """# Prompt sizes

Tokens (o200k) of the first request of each stage beside the dialogue: system message, tools, the stage's and the
state's block. Goals: at most 900 for a small model, at most 2,500 for a frontier one. Measured on a small offline job
of each agent by `python -m tests.e2e.prompt_sizes`; `tests/e2e/test_prompt_sizes.py` keeps the table. A dash: the
model is not asked there in that job.

| agent | stage | small | frontier |
|---|---|---|---|
"""


def size_of(request: ModelRequest, profile: str) -> int:
    """The tokens that a request tells beside the dialogue and the user's files."""
    system = "".join(without_files(split_task(m.content)[1]) for m in request.messages if m.role == "system")
    blocks: dict[str, str] = {}
    for message in request.messages:
        blocks |= split_blocks(message.content)[1] if message.role == "user" else {}
    return sum(map(count_tokens, (system, told_tools(request.tools, profile), *blocks.values())))


def told_tools(tools: ToolSchemas, profile: str) -> str:
    """The tools as a model of this kind reads them: in a few words each, or as their schemas."""
    if not len(tools):
        return ""
    return instructions(PROMPTS, tools) if profile == "small" else tools.wire.decode()


@dataclass
class Measuring:
    """The offline model as a model of this kind; keeps the size of each stage's first request."""

    offline: ModelClient
    agent: str
    kind: Profile
    sizes: dict[str, int] = field(default_factory=dict)
    instead: dict[str, list[str]] = field(default_factory=dict)

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """The offline model's answer; it is offered all tools, for its rules know no others."""
        stage = request.labels.stage
        if stage in stages_of(self.agent):
            self.sizes.setdefault(stage, size_of(request, self.kind))
        said = self.instead.get(stage)
        if said and (text := said.pop(0)):
            return ModelResponse(text=text)
        if len(request.tools):
            registry = agent_named(self.agent).registry()
            request = replace(request, tools=registry.schemas(registry.names))
        return await self.offline.complete(replace(request, model=None), on_delta)

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Free."""
        return 0.0

    def profile(self, tier: Tier = "standard", model: str | None = None) -> Profile:
        """The kind that is measured."""
        return self.kind

    def context_tokens(self, tier: str = "standard", model: str | None = None) -> int | None:
        """Unknown."""
        return None


def stages_of(agent: str) -> list[str]:
    """The stages in which the agent's model is asked."""
    return [stage.name for stage in agent_named(agent).stages if stage.action is None]


async def measured(folder: Path, agent: str, profile: str) -> dict[str, int]:
    """The sizes of the stages that the agent's small job comes through."""
    kind: Profile = "small" if profile == "small" else "frontier"
    async with open_offline_model() as offline:
        said = {stage: list(texts) for stage, texts in INSTEAD.get(agent, {}).items()}
        model = Measuring(offline, agent, kind, instead=said)
        async with application_with(folder, model) as application:
            await JOBS[agent](application, folder)
    return model.sizes


def read_table() -> dict[tuple[str, str, str], int | None]:
    """The sizes that the page tells, by agent, stage and profile."""
    found: dict[tuple[str, str, str], int | None] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        row = re.fullmatch(r"\| ([\w-]+) \| ([\w-]+) \| ([\d,]+|–) \| ([\d,]+|–) \|", line)
        for profile, told in zip(LIMITS, row.groups()[2:], strict=True) if row else ():
            found[row[1], row[2], profile] = None if told == "–" else int(told.replace(",", ""))
    return found


async def main() -> None:
    """Measure everything and write the page."""
    lines = []
    for agent in JOBS:
        sizes = {}
        for profile in LIMITS:
            with TemporaryDirectory() as folder:
                sizes[profile] = await measured(Path(folder), agent, profile)
        for stage in stages_of(agent):
            told = [f"{sizes[profile][stage]:,}" if stage in sizes[profile] else "–" for profile in LIMITS]
            lines.append(f"| {agent} | {stage} | {' | '.join(told)} |")
    TABLE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())

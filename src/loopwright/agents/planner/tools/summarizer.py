"""`summarizer`: what the user reads, as long and in the tone that they like."""

import re

from pydantic import BaseModel, Field

from loopwright.agents.planner.contracts.state import InteractionPolicy, PlanningState
from loopwright.agents.planner.facts.phrases import say
from loopwright.agents.planner.patterns import language_of
from loopwright.agents.planner.ports import PlannerServices
from loopwright.agents.planner.tools.executor import Done, PlannerTool
from loopwright.kernel.tools import ToolContext

SENTENCES = {"concise": 2, "standard": 5, "conversational": 8, "coach": 8}
"""The most sentences by style at a talkativeness of one half."""
SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+(?=[\w\"'(¿¡])")
GREETING = re.compile(
    r"^(?:great|awesome|wonderful|perfect|sure|absolutely|certainly|of course|excellent)\b[^.!?]*[.!?]\s*",
    re.IGNORECASE,
)
COACH_END = " One step at a time: which of these do you want to begin with?"
SHORTEST = 1


class SummarizerParameters(BaseModel):
    """Parameters of `summarizer`."""

    text: str = Field(min_length=1, max_length=20_000, description="What you would say at full length")


class Summarizer(PlannerTool[SummarizerParameters]):
    """Trims and applies the tone."""

    name = "summarizer"
    parameters_model = SummarizerParameters

    async def work(self, params: SummarizerParameters, state: PlanningState, ctx: ToolContext[PlannerServices]) -> Done:
        """Shorten by whole sentences."""
        text = shortened(params.text, state.interaction_policy)
        data = {"text": text, "characters": len(text), "from_characters": len(params.text)}
        return Done(data, confidence=0.9, changes={"response_text": text})


def shortened(text: str, policy: InteractionPolicy) -> str:
    """The text in the policy's length and tone; facts are left out from the end, never changed."""
    plain = " ".join(text.split())
    if policy.tone == "clinical":
        plain = GREETING.sub("", plain).replace("!", ".")
    most = max(SHORTEST, round(SENTENCES[policy.conversation_style] * (0.5 + policy.talkativeness)))
    kept = " ".join(SENTENCE_END.split(plain)[:most])
    opener = say("here", language_of(plain))
    friendly = policy.tone == "friendly" and policy.conversation_style != "concise"
    if friendly and not kept.startswith(opener.strip()):
        kept = opener + kept
    if policy.conversation_style == "coach" and not kept.endswith("?"):
        kept += COACH_END
    return kept

"""A model as the judge of a finished run, where no rule can tell."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import to_json

from loopwright.evals.checks import Judgement
from loopwright.evals.finished import FinishedRun, cut, files_in, shown
from loopwright.kernel.answer_form import Misfit, answer_format, read_answer
from loopwright.kernel.errors import ModelError
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelClient, ModelRequest
from loopwright.kernel.prompts import PromptRepository
from loopwright.models.answer import repair_arguments

MOST_FILES, FILE_CHARACTERS, ALL_CHARACTERS = 40, 12_000, 60_000
"""What of the session's folder a judge is shown: so many files, so much of each, so much of all."""
MOST_CALLS = 60
ANSWER_TOKENS = 1_000
TRIES = 2


class Opinion(BaseModel):
    """What the judge writes."""

    model_config = ConfigDict(extra="ignore")

    reason: str = Field(description="What in the material decides it, in at most three sentences")
    verdict: Literal["pass", "fail"]


class ModelJudge:
    """Asks a model; every question stands alone."""

    def __init__(self, client: ModelClient, prompts: PromptRepository) -> None:
        """Ask this model."""
        self._client = client
        self._prompts = prompts

    async def __call__(self, rubric: str, run: FinishedRun) -> Judgement:
        """The judgement of a run by a rubric.

        Raises:
            ModelError: the model cannot be had, or gave no verdict twice.
        """
        told = [Message.system(self._prompts.render("evals/judge", rubric=rubric)), Message.user(material(run))]
        spent: float | None = 0.0
        for _ in range(TRIES):
            request = ModelRequest(
                messages=told,
                max_tokens=ANSWER_TOKENS,
                response_format=answer_format(Opinion),
                fields_told=True,
                task="evals/judge",
            )
            answer = await self._client.complete(request)
            spent = None if spent is None or answer.cost_usd is None else spent + answer.cost_usd
            try:
                opinion = Opinion.model_validate_json(read_answer(Opinion, answer.text, repair_arguments))
            except Misfit as misfit:
                told = [*told, Message.assistant(answer.text or "(nothing)"), Message.user(str(misfit))]
                continue
            return Judgement(opinion.reason, opinion.verdict == "pass", answer.model, spent)
        raise ModelError(f"The judge gave no verdict: {cut(told[-2].content)}", hint="Name another one with --judge.")


def material(run: FinishedRun) -> str:
    """What the judge is shown, as one JSON object."""
    files: list[dict[str, Any]] = []
    left = ALL_CHARACTERS
    names = files_in(run.folder, "**/*")
    for name in names[:MOST_FILES]:
        raw = (run.folder / name).read_bytes()[: 4 * FILE_CHARACTERS]
        text = "(not a text)" if b"\x00" in raw else raw.decode("utf-8", "replace")[: min(FILE_CHARACTERS, left)]
        left -= len(text)
        files.append({"path": name, "bytes": (run.folder / name).stat().st_size, "text": text})
    calls = [{"tool": call.name, "arguments": shown(call.arguments), "success": call.success} for call in run.calls]
    shown_of_it = {
        "user_said": list(run.messages),
        "agent_said_last": run.text,
        "ended": run.line.get("type"),
        "tools_called": calls[-MOST_CALLS:],
        "files": files,
        "files_not_shown": names[MOST_FILES:],
    }
    return to_json(shown_of_it).decode()

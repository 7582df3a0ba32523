"""An evaluation: all trials of some cases with some models, side by side, resumable after any kill.

Its folder holds everything: `results.jsonl` (a line for each trial that is over), `report.html`, the trials' folders
under `runs/`, and an installation of its own under `home/`, whose runs `loopwright runs` shows with
`LOOPWRIGHT_HOME=FOLDER/home`.
"""

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import to_json

from loopwright.app.agent_files import adopt, find_agent
from loopwright.app.endpoints import LOCAL
from loopwright.app.models import DiscoveringModel, open_model, prompt_repository
from loopwright.app.settings import Settings
from loopwright.evals.cases import Case
from loopwright.evals.checks import Ask, Judgement
from loopwright.evals.finished import FinishedRun, cut, files_in, shown
from loopwright.evals.statistics import Comparison, ModelSummary, TrialResult, compare, summarise
from loopwright.evals.trials import OFFLINE, RECORDED, EvaluationApp, Trial, TrialRunner, settings_for
from loopwright.kernel.answer_form import Misfit, answer_format, read_answer
from loopwright.kernel.errors import Conflict, InvalidInput, ModelError
from loopwright.kernel.files import write_whole
from loopwright.kernel.gates import digest_of
from loopwright.kernel.messages import Message
from loopwright.kernel.ports import ModelClient, ModelRequest
from loopwright.kernel.prompts import PromptRepository
from loopwright.models.answer import repair_arguments

# A model as the judge of a finished run, where no rule can tell.

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


# The evaluation.

PLAN, RESULTS, LOCK = "evaluation.json", "results.jsonl", ".lock"
CONFIGURED = "configured"
"""The model that answers where none is named."""
Told = Callable[[TrialResult, int, int], None]
"""Hears of each trial that is over: its result, how many are over, how many there are."""


@dataclass(frozen=True)
class Plan:
    """What is evaluated.

    Args:
        cases: the cases, as `load_cases` gives them.
        models: names of models, as `settings_for` reads them, or `recorded`; none means the one that the settings name.
        settings: the user's own, with their choice of an endpoint.
        repeat: how often each case is put to each model.
        jobs: trials that are carried out at once.
        judge: the model that judges, by the same kinds of names.
        max_usd: no trial is begun once this much is known to be spent, judges included.
        clients: models of the caller's own, by names that `models` and `judge` may use.
    """

    cases: Sequence[Case]
    models: Sequence[str]
    settings: Settings
    repeat: int = 1
    jobs: int = 4
    judge: str | None = None
    max_usd: float | None = None
    clients: Mapping[str, ModelClient] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The models by name, each once."""
        return tuple(dict.fromkeys(self.models)) or (OFFLINE if self.settings.offline else CONFIGURED,)

    @property
    def trials(self) -> list[Trial]:
        """All trials; those of one case stand together, so that models meet the same hour."""
        times = range(1, self.repeat + 1)
        return [Trial(case, name, number) for number in times for case in self.cases for name in self.names]

    @property
    def digest(self) -> str:
        """Names what is run: the same cases with the same models."""
        return digest_of([(case.id, case.run_digest) for case in self.cases], self.names, self.repeat)[:16]

    def check(self) -> None:
        """See that everything can be run that is planned.

        Raises:
            InvalidInput: a case has no recording though one is wanted, or no judge is named for one that is judged.
        """
        for case in self.cases:
            if RECORDED in self.names and case.recording is None:
                raise InvalidInput(f"{case.place}: case {case.id} has no recording.", hint="loopwright eval record RUN")
            if case.judged and self.judge is None:
                raise InvalidInput(
                    f"{case.place}: case {case.id} is judged.", hint="Name a model that judges: --judge."
                )
        if self.judge in (OFFLINE, RECORDED):
            raise InvalidInput(f"The {self.judge} model is no judge.", hint="Name a language model with --judge.")


@dataclass(frozen=True)
class Report:
    """What an evaluation came to; `total` counts the trials that were planned."""

    models: tuple[str, ...]
    cases: tuple[str, ...]
    total: int
    results: tuple[TrialResult, ...]

    @property
    def summaries(self) -> list[ModelSummary]:
        """Each model by itself."""
        return [summarise(model, self.results) for model in self.models]

    @property
    def left(self) -> int:
        """How many trials were not begun."""
        return self.total - len(self.results)

    @property
    def comparisons(self) -> list[Comparison]:
        """Each pair of models."""
        return compare(self.models, self.results)


@dataclass
class EvaluationFolder:
    """The folder of an evaluation, in the hands of one process."""

    root: Path
    results: list[TrialResult] = field(default_factory=list)

    @classmethod
    @contextmanager
    def opened(cls, root: Path) -> Iterator["EvaluationFolder"]:
        """The folder with what is in it; it is made where there is none.

        Raises:
            Conflict: another process evaluates in it.
            InvalidInput: it cannot be made, holds other things, or its results cannot be read.
        """
        try:
            if root.exists() and any(root.iterdir()) and not (root / PLAN).exists() and not (root / LOCK).exists():
                raise InvalidInput(f"{root} holds other things.", hint="Name another folder with --out.")
            root.mkdir(parents=True, exist_ok=True)
            lock = open(root / LOCK, "w", encoding="utf-8")  # noqa: SIM115 - the next line takes it over
        except OSError as error:
            raise InvalidInput(f"{root} cannot be used as a folder: {error.strerror}.") from error
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise Conflict(
                    f"Another process evaluates in {root}.", hint="Wait for it, or name another --out."
                ) from error
            yield cls(root, _read_results(root))

    def result_of(self, trial: Trial) -> TrialResult | None:
        """The newest result of a trial whose case has not changed since in what is run."""
        digest = trial.case.run_digest
        fitting = (each for each in reversed(self.results) if (each.case, each.model, each.repetition) == trial.key)
        return next((each for each in fitting if each.run_digest == digest), None)

    def due(self, trial: Trial) -> Trial | None:
        """The trial as it is to be carried out now; None where it is over and nothing of its case has changed."""
        last = self.result_of(trial)
        if last is None:
            return trial
        if last.again == "run":
            return Trial(trial.case, trial.model, trial.repetition, last.attempt + 1)
        if last.again == "checks" or last.check_digest != trial.case.check_digest:
            return Trial(trial.case, trial.model, trial.repetition, last.attempt)
        return None

    @property
    def spent(self) -> float:
        """USD that all results of the folder have cost, as far as prices are known."""
        return sum((each.usd or 0.0) + (each.judge_usd or 0.0) for each in self.results)

    def keep(self, result: TrialResult) -> None:
        """Store a result, so that no kill loses it."""
        self.results.append(result)
        with open(self.root / RESULTS, "ab") as file:
            file.write(result.model_dump_json().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def report(self, plan: Plan) -> Report:
        """What is known by now of what is planned."""
        found = tuple(result for trial in plan.trials if (result := self.result_of(trial)) is not None)
        return Report(plan.names, tuple(case.id for case in plan.cases), len(plan.trials), found)


def folder_for(plan: Plan, parent: Path) -> Path:
    """The folder where nobody names one: that of the newest evaluation of this plan if it is not over, or a new one."""
    numbers = sorted(int(path.name) for path in parent.glob("*") if path.name.isdigit()) if parent.is_dir() else []
    for number in reversed(numbers):
        root = parent / str(number)
        told = _read_plan(root)
        if told.get("digest") == plan.digest:
            over = EvaluationFolder(root, _read_results(root))
            if any(over.due(trial) is not None for trial in plan.trials):
                return root
            break
    return parent / str((numbers[-1] if numbers else 0) + 1)


async def evaluate(plan: Plan, root: Path, told: Told) -> Report:
    """Carry out what is due of a plan in a folder.

    Args:
        plan: what is evaluated.
        root: the evaluation's folder.
        told: hears of each result.

    Raises:
        InvalidInput: something of the plan cannot be run; nothing was.
        NotFound: there is no such agent.
        Misconfigured: a model or an agent cannot be used here.
        Conflict: another process evaluates in the folder.
    """
    plan.check()
    with EvaluationFolder.opened(root) as folder:
        due = [trial for each in plan.trials if (trial := folder.due(each)) is not None]
        if due:
            await _carry_out(plan, folder, due, told)
        return folder.report(plan)


async def _carry_out(plan: Plan, folder: EvaluationFolder, due: Sequence[Trial], told: Told) -> None:
    done, places = len(plan.trials) - len(due), asyncio.Semaphore(plan.jobs)
    async with _opened(plan, folder.root) as runner:
        about = {"digest": plan.digest, "models": plan.names, "cases": [case.id for case in plan.cases]}
        write_whole(folder.root / PLAN, json.dumps(about | {"repeat": plan.repeat}, indent=1).encode())

        async def one(trial: Trial) -> None:
            nonlocal done
            async with places:
                if plan.max_usd is not None and folder.spent >= plan.max_usd:
                    return
                result = await runner.carry_out(trial)
            folder.keep(result)
            done += 1
            told(result, done, len(plan.trials))

        async with asyncio.TaskGroup() as group:
            for trial in due:
                group.create_task(one(trial))


@asynccontextmanager
async def _opened(plan: Plan, root: Path) -> AsyncIterator[TrialRunner]:
    """The installation in which the trials run, with all models that the plan names."""
    settings = plan.settings
    home = (root / "home").resolve()
    of_trials = {"home": home, "database_url": None, "output_dir": root / "runs", "runs_at_once": max(plan.jobs, 1)}
    own = settings.model_copy(update=of_trials | {"openai_base_url": OFFLINE, "openai_api_key": None})
    async with AsyncExitStack() as stack:
        app = cast(EvaluationApp, await stack.enter_async_context(EvaluationApp.open(own)))
        agents = {case.id: _agent_of(case, settings.home, home) for case in plan.cases}
        for name in dict.fromkeys(agents.values()):
            app.toolbox(name)
        clients = dict(plan.clients)
        for name in plan.names:
            if name not in (*clients, RECORDED):
                clients[name] = await _client(stack, name, settings, home)
        ask: Ask | None = None
        if plan.judge is not None and any(case.judged for case in plan.cases):
            judge = clients.get(plan.judge) or await _client(stack, plan.judge, settings, home)
            ask = ModelJudge(judge, prompt_repository(settings, "evals", "loopwright.evals"))
        yield TrialRunner(app, root / "runs", clients, agents, ask)


def _agent_of(case: Case, users_home: Path, home: Path) -> str:
    """The name of the case's agent: one of a file is made known in the evaluation's home.

    Raises:
        NotFound: there is no such agent, or no such file.
        InvalidInput: the file cannot be loaded.
    """
    if case.agent_file is not None:
        return adopt(home, str(case.home / case.agent))
    return find_agent(users_home, case.agent).name


async def _client(stack: AsyncExitStack, name: str, settings: Settings, home: Path) -> ModelClient:
    """A model's client; what is learnt of its endpoint stays in the evaluation's home; the local model has its own."""
    chosen = settings if name == CONFIGURED else settings_for(name, settings)
    kept = chosen if chosen.openai_base_url == LOCAL else chosen.model_copy(update={"home": home})
    client = await stack.enter_async_context(open_model(kept))
    if isinstance(client, DiscoveringModel):
        await client.check_choice()
    return client


def _read_plan(root: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((root / PLAN).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise InvalidInput(f"{root / PLAN} cannot be read: {error}.", hint="Name another folder with --out.") from error
    return found


def _read_results(root: Path) -> list[TrialResult]:
    """The stored results. A last line without an end is what a kill has left: its trial is looked at again."""
    path = root / RESULTS
    if not path.exists():
        return []
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        with open(path, "r+b") as file:
            file.truncate(len(whole))
    try:
        return [TrialResult.model_validate_json(line) for line in whole.splitlines()]
    except ValidationError as error:
        told = error.errors(include_url=False)[0]["msg"]
        raise InvalidInput(f"{path} cannot be read: {told}.", hint="Name another folder with --out.") from error

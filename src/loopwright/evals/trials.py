"""One trial: a case put to a model as ordinary journalled runs in a folder of its own, and looked at when they end.

A trial is found again by its folder, so that one whose process was killed goes on in the middle of its run.
"""

import logging
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from loopwright.app.answering import answer_run, claim_for_resume, load_state
from loopwright.app.endpoints import LOCAL
from loopwright.app.loopwright import Loopwright
from loopwright.app.models import DiscoveringModel
from loopwright.app.settings import Settings
from loopwright.app.starting import PARENT, NewRun, create_run
from loopwright.app.watching import last_line
from loopwright.evals.cases import Answers, Case
from loopwright.evals.checks import Ask, look_at
from loopwright.evals.finished import FinishedRun, Verdict, shown
from loopwright.evals.recording import RecordedModel, Recording, RunJournal, journals_of
from loopwright.evals.statistics import EventLine, TrialResult
from loopwright.kernel.errors import InvalidInput, LoopwrightError, ModelError
from loopwright.kernel.events import Event, GateOpened
from loopwright.kernel.gates import digest_of
from loopwright.kernel.ports import ModelClient, RunClaim, RunRecord
from loopwright.kernel.run import AgentRun
from loopwright.kernel.state import TERMINAL, RunState
from loopwright.models.settings import ModelSettings

log = logging.getLogger(__name__)

RECORDED, OFFLINE = "recorded", "offline"
EVALUATION = "eval"
"""The way that answers come, as the journal names it."""
NOT_THE_MODELS = frozenset({"model_unavailable", "model_rejected", "interrupted", "store_unavailable", "parked"})
"""Codes of failures that say nothing of a model's work."""
RUNS_OF_A_SESSION = 1_000
EXCERPT_FIRST, EXCERPT_LAST = 30, 50
UNTOLD = frozenset(
    """
    budget_charged calls_reviewed prompt_set response_absorbed run_created run_started stage_told statement_checked
    statement_settled statements_read tools_offered
    """.split()  # noqa: SIM905
)
"""Events that an excerpt leaves out: they tell how a run was kept, not what was done."""


def settings_for(name: str, settings: Settings) -> Settings:
    """The settings with which the model answers that is named `offline`, `local`, `NAME@ADDRESS`, an address, or NAME.

    A bare name is one of the endpoint that the settings name. The key of the settings is sent to that endpoint alone.

    Raises:
        InvalidInput: no endpoint is set, or the address is none.
    """
    if name in (OFFLINE, LOCAL):
        return _answered_by(settings, name, None, key=False)
    model, _, address = name.rpartition("@") if "://" in name else (name, "", "")
    if not address:
        if settings.offline:
            raise InvalidInput(f"No endpoint is set that could serve {name!r}.", hint="Write NAME@http://HOST:PORT/v1.")
        return _answered_by(settings, settings.openai_base_url, name, key=True)
    host, own = urlsplit(address).netloc, urlsplit(settings.openai_base_url or ModelSettings().base_url).netloc
    if not host or not address.startswith(("http://", "https://")):
        raise InvalidInput(f"{address!r} is no address.", hint="Write NAME@http://HOST:PORT/v1.")
    return _answered_by(settings, address, model or None, key=host == own)


def _answered_by(settings: Settings, address: str | None, model: str | None, *, key: bool) -> Settings:
    """The settings with this endpoint, and this model in every tier; no other one steps in for it."""
    tiers = ("fast", "standard", "powerful")
    models = {f"model_{tier}": model for tier in tiers} | {f"model_{tier}_fallback": None for tier in tiers}
    own = {} if key else {"openai_api_key": None}
    return settings.model_copy(update={"openai_base_url": address, **models, **own})


@dataclass
class EvaluationApp(Loopwright):
    """An installation whose runs are answered by the model that their session belongs to."""

    clients: dict[str, ModelClient] = field(default_factory=dict)

    async def assemble(self, state: RunState, claim: RunClaim) -> AgentRun:
        """Put a run together with its own model; no other one stands in for it."""
        client = await self._client_of(state)
        if isinstance(client, DiscoveringModel):
            await client.discover()
        return replace(await super().assemble(state, claim), model=client, fallback=None)

    async def _client_of(self, state: RunState) -> ModelClient:
        """The session's model; a run that another run's call has asked for has the model of that one."""
        parent = state.options.get(PARENT)
        if parent is None:
            return self.clients[state.session_id]
        above = await self._client_of(await load_state(self, parent["run_id"]))
        return above.below(parent["call_id"]) if isinstance(above, RecordedModel) else above


@dataclass(frozen=True)
class Trial:
    """A case with a model, once; `attempt` counts those whose model could not be had."""

    case: Case
    model: str
    repetition: int
    attempt: int = 1

    @property
    def key(self) -> tuple[str, str, int]:
        """What a result belongs to."""
        return self.case.id, self.model, self.repetition

    def folder(self, root: Path) -> Path:
        """Its own folder: another content of the case has another one."""
        model = "".join(char if char.isalnum() or char in "._-" else "-" for char in self.model)[-60:].strip("-.")
        if model != self.model:  # others may be written so as well
            model += f"-{digest_of(self.model)[:6]}"
        again = f"-{self.attempt}" if self.attempt > 1 else ""
        return root / f"{self.case.id}-{self.case.run_digest[:8]}" / f"{model}-{self.repetition}{again}"


class TrialRunner:
    """Carries trials out in one application."""

    def __init__(
        self,
        app: EvaluationApp,
        root: Path,
        clients: Mapping[str, ModelClient],
        agents: Mapping[str, str],
        ask: Ask | None,
    ) -> None:
        """Run in this application.

        Args:
            app: where the runs are.
            root: where trials have their folders.
            clients: the models by their names.
            agents: the agents' names by the ids of cases.
            ask: the judge, if one is needed.
        """
        self._app = app
        self._agents = agents
        self._root = root.resolve()  # as sessions keep it, which are found again by it
        self._clients = clients
        self._ask = ask

    async def carry_out(self, trial: Trial) -> TrialResult:
        """The trial's result: its runs are begun, or gone on with, and its checks looked at.

        What breaks on the way is told in the result, so that other trials go on.
        """
        result = TrialResult(
            case=trial.case.id,
            run_digest=trial.case.run_digest,
            check_digest=trial.case.check_digest,
            tags=trial.case.tags,
            model=trial.model,
            repetition=trial.repetition,
            attempt=trial.attempt,
            status="error",
            ended="error",
            folder=str(trial.folder(self._root)),
            messages=trial.case.said,
        )
        try:
            client, answers, records = await self._played(trial)
            return await self._judged(trial, result, client, answers, records)
        except LoopwrightError as error:
            return result.model_copy(update={"error": f"{error.message} {error.hint}".strip(), "again": "run"})
        except Exception as error:  # an agent's own code may break in any way: that ends this trial alone
            log.exception("trial %s", trial.key)
            return result.model_copy(update={"error": f"{type(error).__name__}: {error}", "again": "run"})

    async def _played(self, trial: Trial) -> tuple[ModelClient, Answers, list[RunRecord]]:
        """Say the case's messages, one run after the other, until one does not complete."""
        folder = trial.folder(self._root)
        records = await self._runs_in(folder)
        journals = [journal for record in records for journal in await journals_of(self._app, record.run_id)]
        client = self._client(trial, journals)
        answers = Answers(trial.case)
        for events in (journal.events for journal in journals if not journal.path):
            for event in events:  # after a crash: what was answered before it is used up
                if event.type == GateOpened.type and _is_answered(events, event.payload["gate_id"]):
                    answers.take(GateOpened.model_validate(event.payload).gate)
        if not records:
            _lay_files(trial.case, folder)
        session = records[0].session_id if records else None
        for number, message in enumerate(trial.case.said):
            if number >= len(records):
                new = NewRun(
                    message, self._agents[trial.case.id], session, folder=folder, options=dict(trial.case.options)
                )
                records.append(await create_run(self._app, new))
            session = records[number].session_id
            self._app.clients[session] = client
            records[number] = await self._to_rest(records[number].run_id, answers)
            if records[number].status != "completed":
                break
        return client, answers, records

    def _client(self, trial: Trial, journals: Sequence[RunJournal]) -> ModelClient:
        if trial.model != RECORDED:
            return self._clients[trial.model]
        recording = Recording.read(trial.case.home / (trial.case.recording or ""))
        return RecordedModel.after(recording, journals)

    async def _runs_in(self, folder: Path) -> list[RunRecord]:
        """The runs of the session that works in this folder, the oldest first."""
        stores = self._app.stores
        sessions = await stores.sessions.find(output_dir=str(folder), limit=1)
        if not sessions:
            return []
        found = await stores.runs.find(session_id=sessions[0].session_id, limit=RUNS_OF_A_SESSION)
        return list(reversed(found))

    async def _to_rest(self, run_id: str, answers: Answers) -> RunRecord:
        """Carry the run on, with the case's answers, until it is over or waits for one that the case does not have."""
        app, claim, reason = self._app, None, "started"
        record = await app.stores.runs.get(run_id)
        if record.status == "running":  # its process was killed
            claim, reason = await claim_for_resume(app, run_id), "the evaluation goes on"
        while True:
            if record.status in ("queued", "running"):
                app.dispatcher.dispatch(run_id, claim, reason)
                await app.dispatcher.wait(run_id)
                record = await app.stores.runs.get(run_id)
            if record.status != "waiting_input":
                return record
            gate = (await load_state(app, run_id)).open_gate
            payload = answers.take(gate) if gate is not None else None
            if gate is None or payload is None:
                return record
            claim = await answer_run(app, run_id, payload, gate_id=gate.gate_id, by=EVALUATION)
            reason, record = "answered", await app.stores.runs.get(run_id)

    async def _judged(
        self, trial: Trial, result: TrialResult, client: ModelClient, answers: Answers, records: Sequence[RunRecord]
    ) -> TrialResult:
        """Look at what the runs have left."""
        run = await self._finished(trial, records)
        told: dict[str, Any] = {
            "ended": run.line["type"],
            "said": str(run.line.get("message") or _waits_for(run.line)),
            "steps": run.steps,
            "usd": run.usd,
            "tokens": run.tokens,
            "seconds": round(run.seconds, 3),
            "runs": [record.run_id for record in records],
            "answered_by": sorted({e.payload["model"] for e in run.journal if e.type == "model_response"}),
            "unused_answers": [shown(answer) for answer in answers.unused],
            "excerpt": excerpt_of(run.journal),
        }
        if run.line.get("code") in NOT_THE_MODELS:
            told["error"] = f"{run.line['code']}: {run.line['message']}"
            return result.model_copy(update=told | {"again": "run"})
        try:
            verdicts = await look_at(run, trial.case.checks, self._ask)
        except ModelError as error:
            return result.model_copy(update=told | {"error": f"{error.message} {error.hint}", "again": "checks"})
        if isinstance(client, RecordedModel):
            verdicts.append(_used_up(client))
        spent = [verdict.usd for verdict in verdicts]
        told |= {"verdicts": verdicts, "judge_usd": None if None in spent else sum(each or 0.0 for each in spent)}
        broken = [verdict for verdict in verdicts if verdict.broken]
        if broken:
            return result.model_copy(
                update=told | {"error": f"{broken[0].check}: {broken[0].found}", "again": "checks"}
            )
        passed = all(verdict.passed for verdict in verdicts)
        wrong = any(verdict.passed is False and not verdict.limit for verdict in verdicts)
        return result.model_copy(
            update=told | {"status": "passed" if passed else "failed", "false_done": run.completed and wrong}
        )

    async def _finished(self, trial: Trial, records: Sequence[RunRecord]) -> FinishedRun:
        families = [await journals_of(self._app, record.run_id) for record in records]
        journals = [journal.events for family in families for journal in family]
        states = [RunState.fold(journal[0].run_id, journal) for journal in journals]
        last, state = families[-1][0].events, states[-len(families[-1])]
        final = last[-1].payload if state.status in TERMINAL else None
        return FinishedRun(
            case=trial.case.id,
            model=trial.model,
            messages=trial.case.said,
            folder=trial.folder(self._root),
            home=trial.case.home,
            line=last_line(records[-1], state, final),
            journal=[event for journal in journals for event in journal],
            steps=sum(state.steps for state in states),
            usd=sum(state.usd for state in states) if all(state.usd_known for state in states) else None,
            tokens=sum(state.tokens for state in states),
            seconds=sum(state.active_seconds for state in states),
        )


def excerpt_of(journal: Sequence[Event]) -> list[EventLine]:
    """The events that tell what was done, a line for each; of a long journal the beginning and the end."""
    runs = list(dict.fromkeys(event.run_id for event in journal))
    told = [event for event in journal if event.type not in UNTOLD]
    if len(told) > EXCERPT_FIRST + EXCERPT_LAST:
        told = [*told[:EXCERPT_FIRST], *told[-EXCERPT_LAST:]]
    return [EventLine(run=runs.index(e.run_id) + 1, seq=e.seq, type=e.type, text=_told(e)) for e in told]


def _told(event: Event) -> str:
    payload = event.payload
    match event.type:
        case "user_message" | "controller_message":
            return shown(payload["text"])
        case "model_response":
            calls = "".join(f"\n→ {call['name']} {shown(call['arguments'])}" for call in payload["tool_calls"])
            return shown(payload["text"] if payload["visible"] is None else payload["visible"]) + calls
        case "tool_call":
            return f"{payload['name']} {shown(payload['arguments'])}"
        case "tool_result":
            return f"{payload['name']} {'✓' if payload['success'] else '✗'} {shown(payload['output'])}"
        case "stage_changed":
            return f"{payload['from'] or 'start'} → {payload['to']} ({payload['reason']})"
        case "gate_opened":
            asked = "; ".join(question["question"] for question in payload["questions"])
            return shown(" ".join(filter(None, (f"{payload['kind']}: {payload['title']}", asked))))
        case "gate_answered":
            return shown(payload["answer"])
        case "run_completed":
            return shown(payload["text"])
        case "run_failed":
            return shown(f"{payload['code']}: {payload['message']}")
        case _:
            return shown(payload)


def _is_answered(journal: Sequence[Event], gate_id: str) -> bool:
    return any(event.type == "gate_answered" and event.payload["gate_id"] == gate_id for event in journal)


def _waits_for(line: Any) -> str:
    gate = cast(dict[str, Any], line.get("gate") or {})
    asked = "; ".join(each["question"] for each in line.get("questions", ()))
    return f"Waits for an answer ({gate.get('kind')}): {gate.get('title', '')} {asked}".strip()


def _used_up(client: RecordedModel) -> Verdict:
    left = client.left
    return Verdict(
        check="recording used up",
        passed=left == 0,
        expected="every recorded answer must be asked for",
        found=f"{left} of {len(client.recording.answers)} were not asked for" if left else "",
    )


def _lay_files(case: Case, folder: Path) -> None:
    """Make the folder anew with the case's files: what a killed evaluation had begun there is no part of the case."""
    if folder.exists():
        shutil.rmtree(folder)
    if isinstance(case.files, str):
        shutil.copytree(case.home / case.files, folder)
        return
    folder.mkdir(parents=True)
    for name, text in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

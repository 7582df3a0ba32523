"""Use case: the requests of past runs, rebuilt from the journal."""

from dataclasses import dataclass

from loopwright.app.loopwright import Loopwright
from loopwright.app.models import prompt_repository
from loopwright.kernel.errors import Conflict, NotFound
from loopwright.kernel.replay import PastRequest, past_requests
from loopwright.models.body import body_of


@dataclass(frozen=True)
class RebuiltRequest:
    """A request of the past and the body that it had on the wire.

    `identical` says whether the body has the digest that was journalled when it was sent. Only a request in the form of
    schema-constrained steps can fail that, after the prompt `models/schema_steps` or the form itself has changed.
    """

    request: PastRequest
    body: bytes
    identical: bool


async def requests_of_run(application: Loopwright, run_id: str) -> list[PastRequest]:
    """Every answered request of a run, those of its tools among them.

    Raises:
        NotFound: there is no such run.
    """
    await application.stores.runs.get(run_id)
    return list(past_requests(run_id, await application.stores.journal.read(run_id)))


async def find_request(
    application: Loopwright, run_id: str, *, step: int | None = None, seq: int | None = None
) -> PastRequest:
    """One of them: by the number of the run's step, or by the seq of the event that holds its answer.

    Raises:
        NotFound: there is no such run or request.
    """
    requests = await requests_of_run(application, run_id)
    found = next((r for r in requests if (r.step == step if step is not None else r.seq == seq)), None)
    if found is None:
        steps = max((r.step or 0 for r in requests), default=0)
        which = f"step {step}" if step is not None else f"request answered by event {seq}"
        raise NotFound(
            f"Run {run_id} has no {which}.",
            hint=f"It has {steps} steps; `loopwright runs replay {run_id}` lists all requests.",
        )
    return found


def rebuilt(application: Loopwright, request: PastRequest) -> RebuiltRequest:
    """A request as it went over the wire, byte for byte.

    Raises:
        Conflict: the journal does not tell how the request was put: an earlier version wrote it.
    """
    if request.sent is None:
        raise Conflict(
            f"Of the request answered by event {request.seq} the journal tells the messages, not how they were sent.",
            hint="An earlier version made this run; --why shows the messages.",
        )
    prompts = prompt_repository(application.settings, "models", "loopwright.models")
    body = body_of(request.messages, request.tools, request.sent, prompts)
    return RebuiltRequest(request, body.json, identical=body.digest == request.sent.digest)

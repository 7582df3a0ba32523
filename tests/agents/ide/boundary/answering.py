"""What a user answers at a gate, and how the run goes on."""

from loopwright.kernel.events import GateAnswered, RunResumed
from loopwright.kernel.gates import Waiting, read_answer
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.testing import Reply, resume_run
from tests.agents.ide.acting import Account


async def approved(account: Account, *then: Reply, scope: str = "once") -> Account:
    """The run after a yes at the gate where it waits."""
    assert isinstance(account.outcome, Waiting), account.outcome
    gate = account.outcome.gate
    answer = read_answer(gate, {"decision": "approve", "scope": scope})
    events = [GateAnswered(gate_id=gate.gate_id, answer=answer), RunResumed(owner="o", reason="answered")]
    run = resume_run(account.run, payloads=events)
    run.model.script = [*run.model.script, *then]
    return Account(run, await run_agentic_loop(run), account.requests)

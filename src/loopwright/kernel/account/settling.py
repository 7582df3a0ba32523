"""How the controller settles statements: read, claimed, measured before the work and after it.

No model sets a state. A model, or the agent's rules, may propose what a statement means; the claim is refused where it
leaves out a hard token of the statement, and `kept` is given only by a check that did not hold before.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ValidationError

from loopwright.kernel.account import (
    AccountKit,
    Asked,
    Assumed,
    Check,
    Claim,
    Declined,
    Measured,
    NothingThereYet,
    NotMeasurable,
    Reading,
    State,
    Statement,
)
from loopwright.kernel.emitter import RunModel
from loopwright.kernel.errors import Interrupted, LoopwrightError, ModelError, StaleOwner, StoreUnavailable
from loopwright.kernel.events import StatementChecked, StatementSettled, StatementsRead

if TYPE_CHECKING:
    from loopwright.kernel.run import AgentRun


# Which claims the controller takes of a statement: the agent's rules propose them, or a model chooses a check.

log = logging.getLogger(__name__)

# The readers of messages are imported where they are used: their patterns are a fifth of the kernel's import, and an
# agent without an account never reads any.

READING = "account_reading"
"""The run's option that says who cuts a message into statements, and who chooses checks: `rules`, or `model`."""


async def chosen_by_model(run: "AgentRun", kit: AccountKit, readings: Mapping[str, Reading]) -> Mapping[str, Claim]:
    """The claims that a frontier model chooses for statements of which the agent's rules make nothing measurable."""
    if run.state.options.get(READING) != "model" or run.profile != "frontier":
        return {}
    from loopwright.kernel.account.model_claims import choose_claims

    left = [
        each
        for each in unclaimed(run)
        if each.kind not in ("question", "context") and not isinstance(readings.get(each.id), Claim | Declined | Asked)
    ]
    found: dict[str, Claim] = {}
    for number in sorted({each.message for each in left}):
        statements = [each for each in left if each.message == number]
        model = RunModel(run, f"claims-{number}", "account")
        try:
            chosen = await choose_claims(run.state.said[number], statements, kit, model.complete, run.toolbox.prompts)
        except ModelError as error:
            log.warning("run %s: the model chose no checks: %s", run.state.run_id, error.message)
            continue
        found |= {
            each.id: chosen[each.id]
            for each in statements
            if each.id in chosen and acceptable(run, kit, each, chosen[each.id])
        }
    return found


def unclaimed(run: "AgentRun") -> list[Statement]:
    """The open statements without a claim."""
    return [statement for statement in run.state.account.open if statement.claim is None]


def acceptable(run: "AgentRun", kit: AccountKit, statement: Statement, reading: Reading) -> bool:
    """Whether the reading may stand: no assumption and no claim leaves out a hard token of the statement."""
    if isinstance(reading, Assumed):
        return not statement.hard and bool(reading.reason.strip())
    if not isinstance(reading, Claim):
        return True
    from loopwright.kernel.account.reading import missing_tokens

    return valid(kit, reading) and not missing_tokens(statement.hard, reading, _today(run))


def _today(run: "AgentRun") -> date:
    """The day on which the user's words were said: the run's own, where it has one."""
    given = run.state.options.get("now")
    try:
        return datetime.fromisoformat(given).date() if isinstance(given, str) else run.clock().date()
    except ValueError:
        return run.clock().date()


def valid(kit: AccountKit, claim: Claim) -> bool:
    """Whether the claim names a check of the agent's, with arguments of its form."""
    check = kit.by_name.get(claim.check)
    if check is None:
        return False
    try:
        check.arguments.model_validate(claim.arguments)
    except ValidationError:
        return False
    return True


NOTED = "noted"
"""The reason of what asks for nothing."""
NOT_SO = "not so in the result"
NOT_VERIFIED = "not verified"
NO_LONGER = "no longer so"
CHOSEN = "measured by a check that the model chose"


def kit_of(run: "AgentRun") -> AccountKit | None:
    """What settles the run's statements, if the agent has such a thing and the run an account."""
    kit = run.spec.account
    return kit if kit is not None and kit.applies(run) else None


async def read_messages(run: "AgentRun") -> None:
    """Read the messages of the user that have not been read, and measure before the work what they ask.

    All of it is stored in one append: a message is either read and measured, or will be.
    """
    kit = kit_of(run)
    if kit is None or run.state.account.messages_read >= len(run.state.said):
        return
    fresh = await kit.fresh(run)
    for number in range(run.state.account.messages_read, len(run.state.said)):
        read, by = await _read(run, number)
        first = run.state.account.next_number
        statements = [
            each.model_copy(update={"id": f"s{first + index}", "message": number}) for index, each in enumerate(read)
        ]
        run.defer(StatementsRead(message=number, by=by, fresh=fresh, statements=statements))
    readings = await _readings(run, kit, unclaimed(run))
    readings = {**readings, **await chosen_by_model(run, kit, readings)}
    for statement, claim in readings.items():
        if isinstance(claim, Claim):
            await _claim(run, kit, run.state.account.statements[statement], claim)
    await run.append()


async def settle(run: "AgentRun") -> None:
    """Give every open statement its state, by measuring the result; after a crash only those that are still open.

    Claims of earlier messages are measured again: one that no longer holds, or that holds only now, is told of.
    """
    kit = kit_of(run)
    if kit is None:
        return
    account = run.state.account
    readings = await _readings(run, kit, unclaimed(run))
    for statement in account.open:
        reading = readings.get(statement.id)
        if statement.claim is None and isinstance(reading, Claim):
            _supersede(run, kit, statement, reading)
            await _settle_claim(run, kit, statement, reading)
        elif statement.claim is not None:
            await _settle_claim(run, kit, statement, statement.claim)
        else:
            run.defer(_settled_by(run, statement, reading))
    await _look_at_earlier(run, kit)
    await run.append()


async def failing(run: "AgentRun") -> list[str]:
    """Open statements whose claims do not hold of the result now, in words for the model."""
    kit = kit_of(run)
    if kit is None:
        return []
    told = []
    for statement in run.state.account.open:
        if statement.claim is not None:
            checked = await _checked(run, kit, statement, statement.claim, "after")
            if checked.holds is False:
                told.append(f"“{statement.text}”: {checked.value}")
    return told


async def _read(run: "AgentRun", number: int) -> tuple[Sequence[Statement], Literal["rules", "model"]]:
    """The statements of a message of the user: as the model cuts it where the run's options say so, else by rules."""
    from loopwright.kernel.account.model_claims import read_with_model
    from loopwright.kernel.account.reading import read_statements

    text = run.state.said[number]
    if run.state.options.get(READING) != "model":
        return read_statements(text), "rules"
    model = RunModel(run, f"account-{number}", "account")
    try:
        completed = await read_with_model(text, model.complete, run.toolbox.prompts, run.profile, number)
    except ModelError as error:
        log.warning("run %s: the model did not read the message: %s", run.state.run_id, error.message)
        return read_statements(text), "rules"
    return completed.statements, "model"


async def _readings(run: "AgentRun", kit: AccountKit, statements: Sequence[Statement]) -> Mapping[str, Reading]:
    """What the agent makes of these statements, without what the controller does not accept."""
    if not statements:
        return {}
    try:
        proposed = await kit.read(run, statements)
    except LoopwrightError as error:
        log.warning("run %s: statements could not be read: %s", run.state.run_id, error.message)
        return {}
    by_id = {statement.id: statement for statement in statements}
    return {key: each for key, each in proposed.items() if key in by_id and acceptable(run, kit, by_id[key], each)}


async def _claim(run: "AgentRun", kit: AccountKit, statement: Statement, claim: Claim) -> None:
    """Measure a claim before the work."""
    _supersede(run, kit, statement, claim)
    run.defer(await _checked(run, kit, statement, claim, "before"))


def _supersede(run: "AgentRun", kit: AccountKit, statement: Statement, claim: Claim) -> None:
    """Let the claim take the place of an earlier one about the same thing with other values."""
    about = kit.by_name[claim.check].about
    account = run.state.account
    before = [each for each in account.earlier.values() if each.state != "superseded"]
    before += [each for each in account.statements.values() if each.message < statement.message]
    for other in before:
        old = other.claim
        if old is None or other.state == "superseded":
            continue
        same = bool(about) and old.check == claim.check
        same = same and all(old.arguments.get(name) == claim.arguments.get(name) for name in about)
        if (same and old.arguments != claim.arguments) or kit.replaces(claim, old):
            run.defer(StatementSettled(statement=other.id, state="superseded", reason=f"“{statement.text}”"))


async def _settle_claim(run: "AgentRun", kit: AccountKit, statement: Statement, claim: Claim) -> None:
    before = next((e.before for e in statement.evidence if e.check == claim.check), None)
    if before is None and statement.message in run.state.account.fresh:
        before = False  # stored as well: a later run, which measures it again, does not know what there was
        told = "there was nothing yet"
        run.defer(StatementChecked(statement=statement.id, claim=claim, when="before", holds=False, value=told))
    checked = await _checked(run, kit, statement, claim, "after")
    run.defer(checked)
    state: State
    if checked.holds is None:
        state, reason = ("not_used" if statement.hard else "assumed"), f"{NOT_VERIFIED}: {checked.trouble}"
    elif not checked.holds:
        state, reason = "not_used", f"{NOT_SO}: {checked.value}"
    elif before is None:
        state, reason = (
            ("not_used" if statement.hard else "assumed"),
            f"{NOT_VERIFIED}: not measured before the work; now: {checked.value}",
        )
    elif claim.by == "model" and before:
        told = f"{NOT_VERIFIED}: before the work, too, the model's check found it so"
        state, reason = ("not_used" if statement.hard else "assumed"), told
    elif claim.by == "model":
        state, reason = "kept", CHOSEN
    else:
        state, reason = "kept", kit.by_name[claim.check].so_already if before else ""
    run.defer(StatementSettled(statement=statement.id, state=state, reason=reason))


def _settled_by(run: "AgentRun", statement: Statement, reading: Reading | None) -> StatementSettled:
    if isinstance(reading, Assumed):
        return StatementSettled(statement=statement.id, state="assumed", reason=reading.reason)
    if isinstance(reading, Declined):
        return StatementSettled(statement=statement.id, state="refused", reason=reading.reason)
    gate = run.state.gates.get(reading.gate_id) if isinstance(reading, Asked) else None
    if gate is not None and gate.questions:
        return StatementSettled(statement=statement.id, state="asked", reason=gate.title or gate.questions[0].question)
    return StatementSettled(
        statement=statement.id, state="not_used", reason=NOTED if statement.kind == "context" else ""
    )


async def _look_at_earlier(run: "AgentRun", kit: AccountKit) -> None:
    """Measure earlier claims again: what held may have been taken back, what was not so may be so by now."""
    for statement in list(run.state.account.earlier.values()):
        claim = statement.claim
        if statement.state == "superseded" or claim is None or not valid(kit, claim):
            continue
        if not kit.by_name[claim.check].lasting:
            continue
        checked = await _checked(run, kit, statement, claim, "after")
        if checked.holds is None or checked.holds == (statement.state == "kept"):
            continue
        if not checked.holds:
            told = f"{NO_LONGER}: {checked.value}"
            run.defer(StatementSettled(statement=statement.id, state="not_used", reason=told))
        elif any(evidence.before is False for evidence in statement.evidence):
            run.defer(checked, StatementSettled(statement=statement.id, state="kept"))


async def _checked(
    run: "AgentRun", kit: AccountKit, statement: Statement, claim: Claim, when: Literal["before", "after"]
) -> StatementChecked:
    found, trouble = await _measure(run, kit.by_name[claim.check], claim)
    if found is None:
        return StatementChecked(statement=statement.id, claim=claim, when=when, holds=None, trouble=trouble)
    return StatementChecked(
        statement=statement.id,
        claim=claim,
        when=when,
        holds=found.holds,
        value=found.value[:500],
        where=found.where[:200],
        digest=found.digest,
    )


async def _measure(run: "AgentRun", check: Check, claim: Claim) -> tuple[Measured | None, str]:
    """What the check finds, or None and why it cannot tell."""
    arguments: BaseModel = check.arguments.model_validate(claim.arguments)
    try:
        async with asyncio.timeout(check.seconds):
            return await check.measure(run, arguments), ""
    except NothingThereYet as error:
        return Measured(holds=False, value=str(error) or "there is nothing yet", where=""), ""
    except NotMeasurable as error:
        return None, str(error)
    except TimeoutError:
        return None, f"{check.name} took more than {check.seconds:g} seconds"
    except (StaleOwner, StoreUnavailable, Interrupted):
        raise
    except LoopwrightError as error:
        return None, error.message
    except Exception as error:  # a broken check settles nothing, and ends no run
        log.error("check %s failed", check.name, exc_info=error)
        return None, f"{check.name} failed: {type(error).__name__}"

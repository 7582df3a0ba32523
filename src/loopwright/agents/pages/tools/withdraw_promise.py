"""`withdraw_promise`: the user takes promises of the record back."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from loopwright.agents.pages.context.card import refresh_facts
from loopwright.agents.pages.events import PromiseWithdrawn
from loopwright.agents.pages.ports import PagesServices
from loopwright.agents.pages.promises.keeping import write_promises
from loopwright.agents.pages.promises.promise import promise_id, promise_numbers
from loopwright.agents.pages.promises.wording import quoted
from loopwright.agents.pages.tools.interview import Parameters
from loopwright.agents.pages.workspace import Workspace
from loopwright.kernel.errors import NotFound
from loopwright.kernel.tools import BaseTool, GateRequest, ToolContext, ToolResult

MAX_AT_ONCE = 40


class WithdrawPromiseParameters(Parameters):
    """Parameters of `withdraw_promise`."""

    promise_id: str = Field(min_length=1, max_length=400)
    reason: str = Field(min_length=1, max_length=500)
    check: SkipJsonSchema[int | None] = Field(default=None, ge=1)

    @field_validator("promise_id")
    @classmethod
    def _names_promises(cls, text: str) -> str:
        numbers = promise_numbers(text)
        if not numbers or len(numbers) > MAX_AT_ONCE:
            raise ValueError("promises are named like P7, or P7, P9")
        return ", ".join(promise_id(number) for number in numbers)

    @model_validator(mode="after")
    def _one_check_of_one_promise(self) -> "WithdrawPromiseParameters":
        if self.check is not None and len(self.numbers) > 1:
            raise ValueError("a check is withdrawn of one promise at a time")
        return self

    @property
    def place(self) -> int | None:
        """The check's place, from 0; None for the whole promise."""
        return None if self.check is None else self.check - 1

    @property
    def what(self) -> str:
        """What is to be withdrawn, in words."""
        whole = f"the promise {self.promise_id}"
        return whole if self.check is None else f"check {self.check} of {whole}"

    @property
    def numbers(self) -> tuple[int, ...]:
        """The promises' numbers."""
        return promise_numbers(self.promise_id)


class WithdrawPromise(BaseTool[WithdrawPromiseParameters, PagesServices]):
    """Withdraws promises once the user has agreed."""

    name = "withdraw_promise"
    parameters_model = WithdrawPromiseParameters
    effect = "idempotent"

    def gate(self, params: WithdrawPromiseParameters) -> GateRequest | None:
        """The user's yes."""
        details = params.model_dump(include={"promise_id", "reason", "check"}, exclude_none=True)
        return GateRequest("patch", f"Withdraw {params.what}?", details=details)

    def preview(self, params: WithdrawPromiseParameters, folder: Path, services: Any) -> Mapping[str, Any]:
        """The promises in the user's words, and what nobody would watch any more.

        Raises:
            NotFound: there is no such promise or check; nobody is asked.
        """
        known = {str(each.get("id")): each for each in Workspace(folder).read_promises()}
        names = [promise_id(number) for number in params.numbers]
        if missing := [name for name in names if name not in known]:
            hint = f"Active promises: {', '.join(list(known)[:MAX_AT_ONCE]) or 'none'}."
            raise NotFound(f"There is no promise {', '.join(missing)}.", hint=hint)
        lines = []
        for name in names:
            found = known[name]
            pages = found.get("pages")
            where = ", ".join(map(str, pages)) if isinstance(pages, list) else ""
            lines.append(f"{name} ({where}) You asked: {quoted(str(found.get('request')))}")
            lines += [f"  no longer kept: {check}" for check in _checks_meant(name, found, params.check)]
        return {"preview": {"changes": [*lines, f"Why: {params.reason}"]}, "promises": [known[name] for name in names]}

    async def execute(self, params: WithdrawPromiseParameters, ctx: ToolContext[PagesServices]) -> ToolResult:
        """Withdraw them, and say so."""
        withdrawn: list[dict[str, str]] = []
        for number in params.numbers:
            try:
                row = await ctx.db.promises.withdraw(
                    ctx.session_id, number, params.reason, place=params.place, once=True
                )
            except NotFound as error:
                return ToolResult.failure(error.message, "The promises are listed in the system message.")
            name = promise_id(number)
            gone = PromiseWithdrawn(promise_id=name, request=row.request, reason=params.reason, check=params.check)
            await ctx.event_emitter.record(gone)
            withdrawn.append({"promise_id": name, "request": row.request})
        workspace = Workspace(ctx.output_dir)
        await write_promises(ctx.db, ctx.session_id, workspace)
        await refresh_facts(ctx.db, ctx.session_id, workspace, run_id=ctx.run_id)
        told = "; ".join(f"{each['promise_id']} {quoted(each['request'])}" for each in withdrawn)
        part = "" if params.check is None else f"check {params.check} of "
        return ToolResult(
            success=True,
            output=f"Withdrawn: {part}{told}. Now make the change that the user asked for.",
            artifacts={"withdrawn": withdrawn},
        )


def _checks_meant(name: str, row: Mapping[str, Any], number: int | None) -> list[str]:
    """What a row of the file says of the check of this number, or of all its checks.

    Raises:
        NotFound: there is no check of this number.
    """
    checks, numbers = row.get("checks"), row.get("numbers")
    if not isinstance(checks, list) or not isinstance(numbers, list):
        return []
    told = dict(zip(numbers, map(str, checks), strict=False))
    if number is None:
        return list(told.values())
    if number not in told:
        raise NotFound(f"Promise {name} has no check {number}.", hint=f"Its checks: {', '.join(map(str, numbers))}.")
    return [told[number]]

"""What type checkers know of the public API without a cast: mypy checks every `assert_type` here (`test_public.py`)."""

from pathlib import Path
from typing import assert_type

from pydantic import BaseModel

from loopwright import Agent, Context, Done, Failed, Waiting, mcp, resume, run, tool


class Report(BaseModel):
    title: str


class Books:
    def total(self) -> int:
        return 3


@tool
def count(page: int, ctx: Context[Books]) -> int:
    """Count."""
    assert_type(ctx.deps, Books)
    return ctx.deps.total()


@tool(effect="pure")
async def look(page: int) -> list[str]:
    """Look."""
    return []


def long_enough(answer: str) -> str | None:
    """Check a text."""
    return None


async def adds_up(report: Report, ctx: Context[Books]) -> str | None:
    """Check a report."""
    assert_type(ctx.deps, Books)
    return None if report.title else "It has no title."


plain = Agent("plain", "…", tools=[count, look, count.function])
typed = Agent("typed", "…", output=Report)
with_deps = Agent("with-deps", "…", deps=Books)
both = Agent("both", "…", deps=Books, output=Report)
with_server = Agent("with-server", "…", tools=[look, mcp("uvx mcp-server-time")])
checked = Agent("checked", "…", checks=[long_enough])
all_checked = Agent("all-checked", "…", deps=Books, output=Report, checks=[adds_up, lambda report: report.title])

assert_type(plain, Agent[None, str])
assert_type(typed, Agent[None, Report])
assert_type(with_deps, Agent[Books, str])
assert_type(both, Agent[Books, Report])
assert_type(with_server, Agent[None, str])
assert_type(checked, Agent[None, str])
assert_type(all_checked, Agent[Books, Report])
assert_type(count(1, Context(Books())), int)


async def use() -> None:
    """The results."""
    assert_type(await look(1), list[str])
    assert_type(run(plain, "Go.").text, str)
    assert_type(run(both, "Go.").output, Report)
    result = await both.run("Go.", deps=Books())
    match result:
        case Done(output=report):
            assert_type(report, Report)
        case Waiting():
            assert_type(await resume(result, approve=True), Done[Report] | Waiting[Report] | Failed)
        case Failed(error=error, home=home):
            assert_type(error, str)
            assert_type(home, Path)

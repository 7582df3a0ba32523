"""Follows a run in the foreground: shows it, answers its gates, and prints the last line."""

import asyncio
import signal
from contextlib import aclosing
from typing import Any

from loopwright.app.answering import answer_run, cancel_run, load_state
from loopwright.app.ending import EXIT_CODES, last_line
from loopwright.app.loopwright import Loopwright
from loopwright.app.watching import is_terminal, watch_run
from loopwright.cli.answers import AnswerSource
from loopwright.cli.views import View
from loopwright.kernel.events import Event
from loopwright.kernel.ports import Claim


async def follow(
    house: Loopwright,
    run_id: str,
    view: View,
    answers: AnswerSource,
    *,
    claim: Claim | None = None,
    reason: str = "started",
    since: int = 0,
) -> int:
    """Carry a run on in this process until it ends, or waits for somebody who is not here.

    The first Ctrl-C cancels the run; what it had done is kept.

    Returns:
        The exit code.
    """
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, lambda: loop.create_task(cancel_run(house, run_id)))
    final: dict[str, Any] | None = None
    house.dispatcher.dispatch(run_id, claim, reason)
    while True:
        async with aclosing(watch_run(house, run_id, since, until_pause=True)) as pieces:
            async for piece in pieces:
                view.show(piece)
                if isinstance(piece, Event):
                    since = piece.seq
                    final = piece.payload if is_terminal(piece) else None
        state = await load_state(house, run_id)
        gate = state.open_gate
        payload = await asyncio.to_thread(view.paused_for, answers, gate) if gate is not None else None
        if gate is None or payload is None:
            break
        claim = await answer_run(house, run_id, payload, gate_id=gate.gate_id)
        house.dispatcher.dispatch(run_id, claim, "answered")
    await house.dispatcher.wait(run_id)
    line = last_line(await house.stores.runs.get(run_id), state, final)
    view.finish(line, answers.unused)
    return EXIT_CODES[line["type"]]

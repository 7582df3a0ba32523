"""Serving one editor over stdin and stdout."""

import asyncio
import logging
import os
import stat
import sys
from typing import cast

from acp import Agent, run_agent

from loopwright.agents.ide.contracts.options import IdeOptions
from loopwright.agents.ide.index.watching import IndexWatches
from loopwright.app.loopwright import Loopwright
from loopwright.cli.ide.acp.agent import IdeAgent
from loopwright.kernel.errors import InvalidInput

log = logging.getLogger(__name__)

LONGEST_MESSAGE = 50_000_000
"""Bytes of one message of the client: its prompts may embed files."""


async def serve(house: Loopwright, defaults: IdeOptions) -> int:
    """Serve until the client closes its end. stdout is the protocol's alone: what else is printed goes to stderr.

    Raises:
        InvalidInput: stdin or stdout leads to no client.
    """
    _check_ends()
    reader, writer = await _streams()
    async with IndexWatches(log.warning) as watches:
        agent = cast(Agent, IdeAgent(house, defaults, watches))  # the SDK answers "method not found" for the rest
        await run_agent(agent, writer, reader)
    return 0


def _check_ends() -> None:
    """Refuse ends that cannot be waited on, such as files and /dev/null.

    Raises:
        InvalidInput: nobody is at the other end.
    """
    for name, end in (("stdin", sys.stdin), ("stdout", sys.stdout)):
        mode = os.fstat(end.fileno()).st_mode
        if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or end.isatty()):
            raise InvalidInput(
                f"{name} is no pipe, so there is no editor at its other end.",
                hint="Let the editor start this command: loopwright ide --acp",
            )


async def _streams() -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    protocol_end = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    reader = asyncio.StreamReader(limit=LONGEST_MESSAGE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop=loop), protocol_end
    )
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)

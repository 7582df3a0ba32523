"""The background process: `python -P -m loopwright.models.local.host FOLDER`, with its `Order` on stdin.

It runs llama.cpp's server until nobody has asked for a while, or until its state file is gone or another's.
"""

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic_core import from_json

from loopwright.models.local import (
    LocalConfig,
    LocalState,
    Order,
    drop_state,
    read_state,
    template_for,
    write_failure,
    write_state,
)
from loopwright.models.retry import AttemptFailed
from loopwright.models.transport.http import HttpTransport

LOOK_SECONDS = 1.0
"""How often the state file is looked at."""
ASK_SECONDS = 5.0
"""How often the server is asked whether it has work."""


def detach() -> None:
    """Go on as a child that belongs to nobody, whose number is printed; who started us need not wait for us."""
    child = os.fork()
    if child:
        print(child, flush=True)  # noqa: T201 - the one line that the caller reads
        os._exit(0)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1):
        os.dup2(nothing, stream)


def start_server(config: LocalConfig, key: str) -> Any:
    """llama.cpp's server on a free loopback port, with the model in memory.

    Raises:
        RuntimeError: the file is no model that it can run.
    """
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(config.file)
    params.model_alias = {config.name}
    params.n_ctx = config.context_tokens
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = os.cpu_count() or 2
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.api_keys = [key]
    params.warmup, params.ui, params.verbosity = False, False, -1
    template = template_for(config.name)
    if template is not None:
        params.chat_template = template
    return xllamacpp.Server(params)


async def stay(folder: Path, state: LocalState) -> None:
    """Return when the state is no longer ours, or when nobody has asked for long enough."""
    transport = HttpTransport(proxies=False)
    idle, newest, asked = state.config.idle_seconds, None, 0.0
    last = time.monotonic()
    while True:
        if time.monotonic() - asked >= min(ASK_SECONDS, idle / 4):
            asked, work = time.monotonic(), await work_of(transport, state)
            if work != newest:
                last, newest = time.monotonic(), work
            elif time.monotonic() - last >= idle:
                drop_state(folder, state.token)
                return
        await asyncio.sleep(min(LOOK_SECONDS, idle / 4))
        current = read_state(folder)
        if current is None or current.token != state.token:
            return


async def work_of(transport: HttpTransport, state: LocalState) -> Any:
    """Something that changes with every question and while one is answered."""
    headers = {"Authorization": f"Bearer {state.key}"}
    try:
        async with asyncio.timeout(ASK_SECONDS):
            reply = await transport.get(f"http://127.0.0.1:{state.port}/slots", headers)
            pieces = []
            while piece := await reply.next_chunk():
                pieces.append(piece)
            await reply.close()
        slots = from_json(b"".join(pieces))
        busy = any(slot.get("is_processing") for slot in slots)
        return time.monotonic() if busy else [slot.get("id_task") for slot in slots]
    except (AttemptFailed, TimeoutError):
        return time.monotonic()  # too busy to say
    except (ValueError, AttributeError, TypeError):
        return None


def main(folder: Path) -> None:
    """Run until it is time to end."""
    order = Order.model_validate_json(sys.stdin.buffer.read())
    detach()
    try:
        server = start_server(order.config, order.key)
        port = urlsplit(server.listening_address).port or 0
        state = LocalState(pid=os.getpid(), port=port, **dict(order))
    except Exception as error:
        write_failure(folder, order.token, f"{type(error).__name__}: {error}"[:500])
        raise
    write_state(folder, state)
    try:
        asyncio.run(stay(folder, state))
    finally:
        os._exit(0)  # the server's threads would be waited for otherwise, in the middle of an answer too


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Whether a todo's witness speaks for it: without that the todo cannot be completed."""

import asyncio
import hashlib
import shlex
import sys

from loopwright.agents.jobs.contracts.config import JobConfig
from loopwright.agents.jobs.contracts.todos import Witness
from loopwright.agents.jobs.ports import JobServices
from loopwright.kernel.errors import InvalidInput, NotFound
from loopwright.kernel.programs import find_program, program_environment
from loopwright.kernel.workspace import Workspace

COMMAND_SECONDS = 300.0
SHOWN_OUTPUT = 1_000
COUNTS = ("requirements", "citations")


async def check_witness(
    witness: Witness, workspace: Workspace, services: JobServices, config: JobConfig, job_id: str
) -> str | None:
    """What speaks against the witness, or None when it holds."""
    if witness.kind == "file":
        return await asyncio.to_thread(_check_file, witness, workspace)
    if witness.kind == "command":
        return await _check_command(witness, workspace, config)
    found = await _count(witness.query, services, job_id)
    return None if found >= witness.at_least else f"{witness.query!r} gives {found}, and {witness.at_least} are needed"


def _check_file(witness: Witness, workspace: Workspace) -> str | None:
    try:
        data = workspace.read_bytes(witness.path)
    except NotFound:
        return f"the file {witness.path} does not exist"
    if not data.strip():
        return f"the file {witness.path} is empty"
    found = hashlib.sha256(data).hexdigest()
    if witness.sha256 and found != witness.sha256:
        return f"the SHA-256 of {witness.path} is {found}, and {witness.sha256} was promised"
    return None


async def _check_command(witness: Witness, workspace: Workspace, config: JobConfig) -> str | None:
    """Run a command that the user's config allows, word for word, without this process's secrets."""
    if witness.command not in config.witness_commands:
        return f"the command {witness.command!r} is not allowed by the job's config (witness_commands)"
    name, *words = shlex.split(witness.command)
    program = workspace.root / name if "/" in name else find_program(name, outside=workspace.root)
    if program is None:
        return f"the program {name!r} is not installed"
    process = await asyncio.create_subprocess_exec(
        str(program),
        *words,
        cwd=workspace.root,
        env={**program_environment(workspace.root), "PYTHON": sys.executable},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(COMMAND_SECONDS):
            output, _ = await process.communicate()
    except TimeoutError:
        return f"{witness.command!r} did not end within {COMMAND_SECONDS:g} seconds"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode == witness.exit_code:
        return None
    shown = output.decode(errors="replace")[-SHOWN_OUTPUT:].strip()
    return f"{witness.command!r} ended with {process.returncode}, not {witness.exit_code}: {shown}"


async def _count(query: str, services: JobServices, job_id: str) -> int:
    name = query.strip()
    if name == "requirements":
        return sum((await services.requirements.counts(job_id=job_id)).values())
    if name == "citations":
        return len(await services.sources.citations(job_id))
    if not name.upper().startswith(("MATCH", "OPTIONAL MATCH")):
        raise InvalidInput(f"A witness can count {', '.join(COUNTS)} or a Cypher query that begins with MATCH.")
    return len((await services.graph.query(name)).rows)

"""A command outside the sandbox, in the project itself: only after the user was asked for this very command."""

from collections.abc import Callable
from pathlib import Path

from loopwright.agents.ide.sandbox.bubblewrap import environment
from loopwright.agents.ide.sandbox.confined import SHELL
from loopwright.agents.ide.sandbox.owners import identity_of
from loopwright.agents.ide.sandbox.running import CommandOutcome, Launch, run
from loopwright.agents.ide.sandbox.toolchain import toolchain


async def run_unconfined(
    root: Path,
    command: str,
    *,
    working_directory: Path,
    timeout_seconds: float,
    progress: Callable[[str], None] = lambda line: None,
) -> CommandOutcome:
    """Run a shell command with the user's rights, home and programs, without the keys of the environment.

    Raises:
        Misconfigured: it could not be started.
    """
    variables = environment(root, toolchain(root)) | {"HOME": str(Path.home())}
    variables.pop("TMPDIR")
    variables.pop("GIT_CONFIG_GLOBAL")
    launch = Launch((*SHELL, command), working_directory, variables, identity=identity_of(root))
    return await run(launch, timeout_seconds=timeout_seconds, progress=progress)

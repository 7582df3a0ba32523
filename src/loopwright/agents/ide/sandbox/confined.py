"""A command on a layer of the project, confined: made, run, and ended before its changes are read."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from loopwright.agents.ide.sandbox.bubblewrap import bubblewrap, environment
from loopwright.agents.ide.sandbox.isolation import Isolation
from loopwright.agents.ide.sandbox.layers import Layer
from loopwright.agents.ide.sandbox.owners import identity_of
from loopwright.agents.ide.sandbox.running import CommandOutcome, Launch, run
from loopwright.agents.ide.sandbox.seccomp import filter_program
from loopwright.agents.ide.sandbox.toolchain import toolchain

SHELL = ("/bin/sh", "-c")
OUTER = {"PATH": "/usr/bin:/bin"}
"""The environment of what runs before the sandbox is closed."""


async def run_confined(
    layer: Layer,
    isolation: Isolation,
    command: str,
    *,
    working_directory: Path,
    timeout_seconds: float,
    network: bool = False,
    private: tuple[Path, ...] = (),
    progress: Callable[[str], None] = lambda line: None,
) -> CommandOutcome:
    """Run a shell command on a layer that was made. All its processes are dead when this returns, or raises.

    Args:
        layer: what it sees of the project and writes to.
        isolation: what works on this machine.
        command: for `/bin/sh -c`.
        working_directory: below the project's folder.
        timeout_seconds: after which the command is killed.
        network: whether it reaches the network.
        private: folders of Loopwright's own.
        progress: is told of the output as it comes.

    Raises:
        Misconfigured: it could not be started.
    """
    identity = identity_of(layer.root)
    tools = toolchain(layer.root, private, identity)
    variables = environment(layer.root, tools)
    told, tells = os.pipe()
    filtering = _filter_descriptor(network)
    arguments = bubblewrap(
        isolation,
        layer.root,
        layer.source,
        tools,
        variables,
        working_directory=working_directory,
        network=network,
        identity=identity or (os.getuid(), os.getgid()),
        program=_own_copy(layer, isolation) if os.getuid() == 0 and identity is None else None,
        filter_descriptor=filtering,
    )
    arguments[-1:-1] = ["--info-fd", str(tells)]
    launch = Launch(
        layer.wrap([*arguments, *SHELL, command]),
        layer.folder,
        OUTER,
        identity=identity,
        descriptors=tuple(each for each in (tells, filtering) if each is not None),
        first_process=told,
        written=layer.size,
    )
    return await run(launch, timeout_seconds=timeout_seconds, progress=progress)


def _filter_descriptor(network: bool) -> int | None:
    program = filter_program(network=network)
    if program is None:
        return None
    descriptor = os.memfd_create("filter")
    os.write(descriptor, program)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _own_copy(layer: Layer, isolation: Isolation) -> Path:
    """Bubblewrap for this command alone: what runs as the real root might write to the file of a running program."""
    place = layer.folder / "bwrap"
    shutil.copy(isolation.bubblewrap, place)
    place.chmod(0o755)
    return place

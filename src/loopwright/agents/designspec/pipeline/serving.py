"""How a worker answers: a job on standard input, a line of JSON for everything worth telling on standard output."""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Mapping
from typing import BinaryIO

from loopwright.agents.designspec.pipeline.conductor import Conductor, Leave
from loopwright.agents.designspec.pipeline.job import PipelineJob, WorkerMessage
from loopwright.agents.designspec.pipeline.memory import limit_memory
from loopwright.agents.designspec.pipeline.reports import PipelineProgress
from loopwright.agents.designspec.pipeline.workbench import StageFunction

SET_PARENT_DEATH_SIGNAL = 1
"""`PR_SET_PDEATHSIG` of prctl(2)."""


def serve(stages: Mapping[str, StageFunction], leave: Leave | None = None) -> None:
    """Read one job, run it with these stages, and answer its report as the last line; `leave` as in `Conductor`."""
    _die_with_parent()
    answers = _private_output()
    job = PipelineJob.model_validate_json(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    limit_memory(job.limits.memory_mb)

    def say(progress: PipelineProgress) -> None:
        _write(answers, WorkerMessage(progress=progress))

    _write(answers, WorkerMessage(result=Conductor(job, stages, say, leave).run()))


def _private_output() -> BinaryIO:
    """The pipe of the answers, out of reach for libraries that print: their words go to the error output."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def _write(answers: BinaryIO, message: WorkerMessage) -> None:
    answers.write(message.model_dump_json(exclude_none=True).encode() + b"\n")
    answers.flush()


def _end_with_parent() -> None:
    """Wait for the end of the input, which comes when the parent dies or lets go, and end at once.

    It reads the bare file: a thread that sits in Python's own reader would hang the interpreter's normal end.
    """
    while os.read(0, 4096):
        pass
    os.kill(0 if os.getpgrp() == os.getpid() else os.getpid(), signal.SIGKILL)


def _die_with_parent() -> None:
    """Let the system end this process with its parent, which works even while native code holds the interpreter."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)

"""What a step says about the run: exactly one of four."""

from dataclasses import dataclass

from loopwright.kernel.gates import Gate


@dataclass(frozen=True)
class RunAgain:
    """The run goes on with another step."""


@dataclass(frozen=True)
class Waiting:
    """A human has to answer this gate; the run holds no task and no memory meanwhile."""

    gate: Gate


@dataclass(frozen=True)
class Finished:
    """The run has done its work; `text` is the last thing the user reads."""

    text: str


@dataclass(frozen=True)
class Failed:
    """The run cannot go on; `message` says what happened and `hint` what to do next."""

    code: str
    message: str
    hint: str = ""


@dataclass(frozen=True)
class Cancelled:
    """The user stopped the run."""


Outcome = RunAgain | Waiting | Finished | Failed | Cancelled

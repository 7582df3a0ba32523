"""What tests of an agent need: a scripted model that fails on unexpected and on unconsumed steps, stores in memory."""

from loopwright.kernel.testing.journal import MemoryJournal
from loopwright.kernel.testing.models import FailingModel, Reply, ScriptedModel, as_response
from loopwright.kernel.testing.runs import resume_run, start_run, strict_arguments

__all__ = [
    "FailingModel",
    "MemoryJournal",
    "Reply",
    "ScriptedModel",
    "as_response",
    "resume_run",
    "start_run",
    "strict_arguments",
]

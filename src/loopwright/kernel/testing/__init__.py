"""What tests of an agent need: a scripted model that fails on unexpected and on unconsumed steps, stores in memory.

Also what must hold of every journal, strategy and controller, and a process that dies where a test wants it.
"""

from loopwright.kernel.testing.conformance import (
    SummaryModel,
    check_compaction_strategy,
    check_controller,
    check_journal,
)
from loopwright.kernel.testing.runs import (
    Death,
    FailingModel,
    MemoryJournal,
    MortalJournal,
    Reply,
    ScriptedModel,
    as_response,
    resume_run,
    start_run,
    strict_arguments,
)

__all__ = [
    "Death",
    "FailingModel",
    "MemoryJournal",
    "MortalJournal",
    "Reply",
    "ScriptedModel",
    "SummaryModel",
    "as_response",
    "check_compaction_strategy",
    "check_controller",
    "check_journal",
    "resume_run",
    "start_run",
    "strict_arguments",
]

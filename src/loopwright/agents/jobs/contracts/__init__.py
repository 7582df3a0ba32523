"""What the jobs agent's parts exchange: configs, todos, phases, the state of a job."""

from loopwright.agents.jobs.contracts.config import JobConfig
from loopwright.agents.jobs.contracts.state import JobState
from loopwright.agents.jobs.contracts.todos import Todo, TodoFile, Witness

__all__ = ["JobConfig", "JobState", "Todo", "TodoFile", "Witness"]

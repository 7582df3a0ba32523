"""Requirements on SQL: their statuses, who works on which, and what a rewind takes back."""

from loopwright.agents.jobs.store.requirements.records import RequirementFields, RequirementRecord, WithdrawalRecord
from loopwright.agents.jobs.store.requirements.store import SqlRequirements

__all__ = ["RequirementFields", "RequirementRecord", "SqlRequirements", "WithdrawalRecord"]

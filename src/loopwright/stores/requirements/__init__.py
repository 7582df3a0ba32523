"""Requirements on SQL: their statuses, who works on which, and what a rewind takes back."""

from loopwright.stores.requirements.records import RequirementFields, RequirementRecord, WithdrawalRecord
from loopwright.stores.requirements.store import SqlRequirements

__all__ = ["RequirementFields", "RequirementRecord", "SqlRequirements", "WithdrawalRecord"]

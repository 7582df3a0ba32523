"""The policies: how the pipeline works where the document does not say it at the thing itself. Defaults in metres."""

from loopwright.agents.designspec.document.policies.results import POLICY_NAMES, Policies

__all__ = ["POLICY_NAMES", "Policies"]

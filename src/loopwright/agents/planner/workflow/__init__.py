"""What the controller does without a model: validators, questions, approvals, escalations, the settled plan."""

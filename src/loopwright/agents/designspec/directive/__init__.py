"""The structured answer of the model: its contract, and how it is read out of messy text."""

"""How a message is worked off: what each stage reads out of an answer, when it is sent back, and how the run ends."""

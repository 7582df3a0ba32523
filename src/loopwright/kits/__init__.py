"""What several agents need and the kernel does not: the history of changes, and dialogues without a language model."""

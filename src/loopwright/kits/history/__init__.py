"""The history of changes: what can be undone and redone, and files that are only written over what was read."""

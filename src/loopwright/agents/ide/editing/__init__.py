"""Changing the project's files: replacing, patching, staging, and undoing all of it."""

"""The files of the project: what a run may read and write, and what it may not."""

from loopwright.agents.ide.files.project_files import ProjectFiles, is_secret

__all__ = ["ProjectFiles", "is_secret"]

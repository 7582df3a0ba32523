"""`loopwright ide`: a coding agent over a repository, whose mode and reasoning belong to the user."""

from loopwright.cli.ide.message import app

__all__ = ["app"]

"""The ide agent (spec 002): a coding agent over a repository, whose mode and reasoning belong to the user."""

"""Loopwright runs LLM agents that people can leave alone."""

__version__ = "0.1.0"

"""Dialogues without a language model: scripts that are replayed, requests read by patterns, words by language."""

"""Migrations of this agent's tables; a file's name begins with its revision."""

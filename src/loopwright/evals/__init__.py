"""Evaluation: cases with checks over any agent, several models side by side, and recorded runs as cases."""

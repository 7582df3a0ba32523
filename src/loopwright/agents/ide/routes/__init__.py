"""The HTTP routes of this agent."""

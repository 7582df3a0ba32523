"""What this agent keeps in the database."""

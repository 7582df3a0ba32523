"""The graph of requirements: its schema, what may be said in it, how like two things are, and what a rewind removes."""

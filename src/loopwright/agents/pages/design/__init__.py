"""The shared style sheet: what is in it, and whether mobile pages can stand on it."""

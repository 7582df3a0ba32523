"""What the rules can do, one kind of work in each file."""

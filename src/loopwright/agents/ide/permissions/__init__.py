"""What the user has allowed, for how long, and what a yes would allow beyond one call."""

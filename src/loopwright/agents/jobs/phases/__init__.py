"""Strategic and tactical phases: how one begins, ends, and is gone back to."""

"""What jobs do with their workspace beyond reading and writing it: protect, search, cut into portions."""

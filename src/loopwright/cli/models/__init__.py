"""`loopwright models`: which model answers, what could answer, and whether it works."""

"""The pipeline: its stages, what an edit makes them do again, and the worker process they run in."""

"""The states of jobs on SQL."""

from loopwright.stores.database import Database
from loopwright.stores.session_state import SessionState
from loopwright.stores.tables import job_states


class SqlJobs(SessionState):
    """Keeps one state per job; a job is a session."""

    def __init__(self, database: Database) -> None:
        """Keep the database."""
        super().__init__(database, job_states)

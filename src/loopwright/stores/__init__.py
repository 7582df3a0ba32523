"""Where things are kept: the journal, runs, sessions, product docs, pages, artifacts; on SQLite or PostgreSQL."""

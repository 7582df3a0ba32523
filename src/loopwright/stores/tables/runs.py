"""The runs: who owns each, how far it is, what it has cost."""

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, String, Table, Text, false

from loopwright.stores.tables.base import Identifier, UtcDateTime, metadata

runs = Table(
    "runs",
    metadata,
    # Short, given by the database, and known to the stores only: it stands for the id in each row of the journal.
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("run_id", Identifier, nullable=False, unique=True),
    # No foreign key to sessions: the kernel's port does not know them, and a session's deletion takes its runs along.
    Column("session_id", Identifier, nullable=False),
    Column("agent", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("owner", String(255)),
    Column("heartbeat_at", UtcDateTime),
    Column("cancel_requested", Boolean, nullable=False, server_default=false()),
    Column("created_at", UtcDateTime, nullable=False),
    Column("updated_at", UtcDateTime, nullable=False),
    Column("steps", Integer, nullable=False, server_default="0"),
    # The part whose price is known; `cost_unknown` says that there is another part.
    Column("cost_usd", Float, nullable=False, server_default="0"),
    Column("cost_unknown", Boolean, nullable=False, server_default=false()),
    Column("message", Text, nullable=False),
    # Owners in a row that died while they carried the run on, and how far its journal was when the last one did.
    Column("deaths", Integer, nullable=False, server_default="0"),
    Column("deaths_at_seq", Integer, nullable=False, server_default="0"),
)

Index(None, runs.c.session_id, runs.c.created_at)
Index(None, runs.c.created_at)
# Recovery looks at live runs only; the finished majority stays out of its index.
Index(
    "ix_runs_live",
    runs.c.status,
    sqlite_where=runs.c.status.in_(("queued", "running")),
    postgresql_where=runs.c.status.in_(("queued", "running")),
)

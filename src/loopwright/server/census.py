"""Which connections are open, of whom, and which of them give way when there is no more room.

A connection that waits for its client (for a request, or for the rest of a body) can be given up at any time: nothing
has begun for it. So a newcomer is never turned away while there is such a connection; the oldest gives way. Clients
that behave send their request at once and are through long before it is their turn.
"""

import ipaddress
import resource
from collections import Counter
from dataclasses import dataclass
from typing import Any, Protocol

MOST_CONNECTIONS = 2_000


@dataclass(frozen=True)
class Limits:
    """Connections in number, and times in seconds."""

    connections: int
    per_client: int
    head_seconds: float = 10.0
    """For a whole request head, from when the connection is open or the last answer is out."""
    body_seconds: float = 20.0
    """For a body, beyond the time that it takes at `body_rate`."""
    body_rate: int = 65_536
    """Bytes in a second below which a body is too slow."""
    linger_seconds: float = 2.0
    """In which the rest of a refused body may come, so that the client reads why it was refused."""
    stall_seconds: float = 30.0
    """For a client to take `stall_bytes` of what it was sent, or all of it."""
    stall_bytes: int = 16_384


def limits_here() -> Limits:
    """Half of this process's descriptors for connections, and half of these for one client; the rest are for files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    connections = MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else min(MOST_CONNECTIONS, max(16, soft // 2))
    return Limits(connections, per_client=connections // 2)


class Connection(Protocol):
    """What the census needs of a connection."""

    client_key: str

    def give_way(self) -> None:
        """End at once, without an answer."""
        ...

    def check(self, now: float) -> None:
        """End if the client has been too slow; `now` is the event loop's time."""
        ...


class Census:
    """The open connections of a server, counted by client. Used from one event loop."""

    def __init__(self, limits: Limits) -> None:
        """Nobody is there yet."""
        self.limits = limits
        self._open: set[Connection] = set()
        self._by_client: Counter[str] = Counter()
        self._waiting: dict[str, dict[Connection, None]] = {}

    def admit(self, connection: Connection) -> bool:
        """Count a new connection, which waits for its request; False if there is no room and nobody to give way."""
        key = connection.client_key
        if self._by_client[key] >= self.limits.per_client and not self._oldest_gives_way(key):
            return False
        if len(self._open) >= self.limits.connections and not self.shed(1):
            return False
        self._open.add(connection)
        self._by_client[key] += 1
        self.waits(connection)
        return True

    def waits(self, connection: Connection) -> None:
        """The connection waits for its client from now on."""
        if connection in self._open:
            waiting = self._waiting.setdefault(connection.client_key, {})
            waiting.pop(connection, None)
            waiting[connection] = None

    def is_served(self, connection: Connection) -> None:
        """The connection's request is complete: it no longer gives way."""
        waiting = self._waiting.get(connection.client_key)
        if waiting is not None:
            waiting.pop(connection, None)
            if not waiting:
                del self._waiting[connection.client_key]

    def leave(self, connection: Connection) -> None:
        """The connection is over, or as good as over."""
        if connection not in self._open:
            return
        self.is_served(connection)
        self._open.remove(connection)
        self._by_client[connection.client_key] -= 1
        if not self._by_client[connection.client_key]:
            del self._by_client[connection.client_key]

    def shed(self, count: int) -> int:
        """Let the oldest waiting connections of the clients that have most of them give way; gives how many did."""
        for done in range(count):
            if not self._waiting:
                return done
            self._oldest_gives_way(max(self._waiting, key=lambda key: len(self._waiting[key])))
        return count

    def sweep(self, now: float) -> None:
        """End what has been too slow."""
        for connection in list(self._open):
            connection.check(now)

    def _oldest_gives_way(self, key: str) -> bool:
        oldest = next(iter(self._waiting.get(key, ())), None)
        if oldest is None:
            return False
        self.leave(oldest)
        oldest.give_way()
        return True


def client_key(peer: Any) -> str:
    """Who a connection belongs to: an IPv4 address, or the network of an IPv6 one, all of which one client has."""
    if not isinstance(peer, tuple):
        return "local"
    address = ipaddress.ip_address(str(peer[0]).partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, 64), strict=False))

"""A plan on a calendar server (CalDAV, RFC 4791): push its events, and pull what somebody has changed there.

Nothing is remembered here: what the server has is compared with the plan each time. Each event carries whose plan it is
and a digest of what was written, so that an event that was moved on the server is known as such. Such an event is not
overwritten, and what the plan does not have any more is deleted: no stale entry stays. Events of others are only read.
"""

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener
from xml.etree import ElementTree as ET

from icalendar import Calendar

from loopwright.agents.planner.contracts import Schedule
from loopwright.agents.planner.contracts.plan import Outline
from loopwright.agents.planner.exports.calendar_file import OURS, ROOT, changed, event_file, plan_events
from loopwright.agents.planner.schedule.problem_checks import load_zone
from loopwright.kernel.errors import InvalidInput

WRITTEN = "X-LOOPWRIGHT-WRITTEN"
"""The digest of an event as it was pushed."""
DIGESTED = ("DTSTART", "DTEND", "RRULE", "EXDATE", "SUMMARY", "STATUS")
"""What of an event a person changes; servers and programs may add and sort the rest."""
SECONDS = 30.0
MOST_BYTES = 20_000_000
LOOPBACK = ("localhost", "127.0.0.1", "::1")
NAMESPACES = {"d": "DAV:", "c": "urn:ietf:params:xml:ns:caldav"}
QUERY = (
    '<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/><c:calendar-data/>'
    '</d:prop><c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"/></c:comp-filter></c:filter>'
    "</c:calendar-query>"
)
PRECONDITION, MISSING = 412, 404


@dataclass(frozen=True)
class Stored:
    """An event on the server: where, in which version, and the event."""

    url: str
    etag: str
    event: Any

    @property
    def uid(self) -> str:
        """The event's UID."""
        return str(self.event["UID"])

    @property
    def is_touched(self) -> bool:
        """Whether somebody has changed it since it was pushed."""
        return str(self.event.get(WRITTEN, "")) != digest(self.event)


@dataclass
class Pushed:
    """What a push did, by titles; `conflicts` were changed on the server and stay as they are there."""

    created: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    unchanged: int = 0
    conflicts: list[str] = field(default_factory=list)


@dataclass
class Pulled:
    """What the server has else than the plan: in words, and the events of others as one iCalendar text."""

    moved: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    others: str = ""
    other_count: int = 0


class CalendarServer:
    """One calendar of a server."""

    def __init__(self, url: str, user: str = "", password: str = "") -> None:
        """Remember where it is and who asks.

        Args:
            url: of the calendar itself, http or https.
            user: empty for a server that asks nobody.
            password: goes over https, or to this machine.

        Raises:
            InvalidInput: the address is none, or a password would go over the network unencrypted.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InvalidInput(f"{url[:80]!r} is no address of a calendar.", hint="Give the calendar's https address.")
        if password and parts.scheme == "http" and parts.hostname not in LOOPBACK:
            raise InvalidInput("The password would go over the network unencrypted.", hint="Use the https address.")
        self.url = url if url.endswith("/") else f"{url}/"
        token = base64.b64encode(f"{user}:{password}".encode()).decode()
        self._headers = {"Authorization": f"Basic {token}"} if user else {}
        self._opener = build_opener(_NoRedirects)

    def events(self) -> list[Stored]:
        """All events of the calendar; a series with changed occurrences is told by its first part.

        Raises:
            InvalidInput: the server cannot be reached, refuses, or does not answer as a calendar does.
        """
        _, body = self._ask("REPORT", self.url, QUERY.encode(), {"Depth": "1", "Content-Type": "application/xml"})
        if b"<!DOCTYPE" in body or b"<!ENTITY" in body:
            raise InvalidInput("The server's answer defines entities.", hint="It is not read.")
        try:
            root = ET.fromstring(body)  # noqa: S314 - entities are refused above
        except ET.ParseError as error:
            raise InvalidInput(f"The server does not answer as a calendar: {error}.", hint=_HINT) from error
        found = []
        for response in root.findall("d:response", NAMESPACES):
            href = response.findtext("d:href", "", NAMESPACES)
            etag = response.findtext(".//d:getetag", "", NAMESPACES)
            text = response.findtext(".//c:calendar-data", "", NAMESPACES)
            found += [Stored(urljoin(self.url, href), etag, event) for event in _first_events(text)]
        return found

    def put(self, url: str, text: str, etag: str | None) -> bool:
        """Write an event: a new one without `etag`, else the version that has it; False where that is not there."""
        condition = {"If-None-Match": "*"} if etag is None else {"If-Match": etag}
        headers = {"Content-Type": "text/calendar; charset=utf-8", **condition}
        return self._ask("PUT", url, text.encode(), headers, (PRECONDITION,))[0] != PRECONDITION

    def delete(self, stored: Stored) -> bool:
        """Delete an event in the version that is known; False where it is another one by now."""
        status, _ = self._ask("DELETE", stored.url, None, {"If-Match": stored.etag}, (PRECONDITION, MISSING))
        return status != PRECONDITION

    def _ask(
        self, method: str, url: str, body: bytes | None, headers: dict[str, str], expected: tuple[int, ...] = ()
    ) -> tuple[int, bytes]:
        if urlsplit(url)[:2] != urlsplit(self.url)[:2]:
            raise InvalidInput("The server names an event on another server.", hint="Nothing is sent there.")
        request = Request(url, data=body, headers={**self._headers, **headers}, method=method)  # noqa: S310 - http(s)
        try:
            with self._opener.open(request, timeout=SECONDS) as answer:
                content = answer.read(MOST_BYTES + 1)
                if len(content) > MOST_BYTES:
                    raise InvalidInput("The calendar is larger than 20 MB.", hint="Use a calendar for plans alone.")
                return answer.status, content
        except HTTPError as error:
            if error.code in expected:
                return error.code, b""
            raise InvalidInput(f"The calendar server answers {error.code} {error.reason}.", hint=_HINT) from error
        except (URLError, HTTPException, OSError) as error:
            raise InvalidInput(f"The calendar server cannot be reached: {error}.", hint=_HINT) from error


_HINT = "Check the calendar's address, the user and the password."


class _NoRedirects(HTTPRedirectHandler):
    """A password is not sent to where an answer points."""

    def redirect_request(self, *_: Any) -> None:
        """Take no redirect: the answer is an error then."""


def _first_events(text: str) -> Iterator[Any]:
    try:
        events = Calendar.from_ical(text).walk("VEVENT") if text.strip() else []
    except ValueError as error:
        raise InvalidInput(f"An event on the server cannot be read: {str(error)[:120]}.", hint=_HINT) from error
    seen: set[str] = set()
    for event in sorted(events, key=lambda event: "RECURRENCE-ID" in event):
        if (uid := str(event.get("UID", ""))) not in seen:
            seen.add(uid)
            yield event


def digest(event: Any) -> str:
    """Of what a person sees of an event; the same however a server writes it."""
    values = [_plain(event[name]) if name in event else "" for name in DIGESTED]
    return hashlib.sha256("\n".join(values).encode()).hexdigest()[:32]


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(sorted(map(_plain, value)))
    if hasattr(value, "dts"):
        return ",".join(sorted(_moment(each.dt) for each in value.dts))
    return _moment(value.dt) if hasattr(value, "dt") else str(value.to_ical().decode())


def _moment(moment: Any) -> str:
    return str((moment.astimezone(UTC) if isinstance(moment, datetime) and moment.tzinfo else moment).isoformat())


def push(server: CalendarServer, outline: Outline, schedule: Schedule, *, now: datetime | None = None) -> Pushed:
    """Make the server show the plan as it is; doing it again changes nothing.

    Raises:
        InvalidInput: the server cannot be reached, or refuses.
    """
    zone, root, done = load_zone(schedule.timezone), str(outline.root_id), Pushed()
    stored = {each.uid: each for each in _of_plan(server, root)}
    touched = {uid for uid, each in stored.items() if each.is_touched}
    events = [event for event in plan_events(schedule) if str(event["UID"]) not in touched]
    for event in events:
        event.add(ROOT, root)
        event.add(WRITTEN, digest(event))
    before = {uid: each.event for uid, each in stored.items() if uid not in touched}
    stamp = (now or datetime.now(UTC)).astimezone(UTC).replace(microsecond=0)
    wanted = {str(event["UID"]) for event in events}
    for event in changed(events, before, stamp):
        uid, title = str(event["UID"]), str(event.get("SUMMARY", ""))
        known = stored.get(uid)
        if uid not in wanted:
            (done.deleted if known is not None and server.delete(known) else done.conflicts).append(title)
        elif known is not None and known.event.get(WRITTEN) == event.get(WRITTEN):
            done.unchanged += 1
        else:
            url = known.url if known is not None else urljoin(server.url, f"{quote(uid.removesuffix(OURS))}.ics")
            written = server.put(url, event_file(event, zone), None if known is None else known.etag)
            kind = done.changed if known is not None else done.created
            (kind if written else done.conflicts).append(title)
    done.conflicts += [str(stored[uid].event.get("SUMMARY", uid)) for uid in sorted(touched)]
    return done


def pull(server: CalendarServer, outline: Outline, schedule: Schedule) -> Pulled:
    """What the server has else than the plan: the plan's events that were changed or are gone, and the others' events.

    Raises:
        InvalidInput: the server cannot be reached, or refuses.
    """
    root, found, everything = str(outline.root_id), Pulled(), server.events()
    there = {each.uid: each for each in everything if str(each.event.get(ROOT, "")) == root}
    for uid, each in there.items():
        if each.is_touched:
            start = each.event["DTSTART"].dt
            found.moved.append(f"{each.event.get('SUMMARY', uid)}: now {start.isoformat(sep=' ')[:16]}")
    for event in plan_events(schedule):
        if there and str(event["UID"]) not in there:
            found.deleted.append(f"{event['SUMMARY']}: {event['DTSTART'].dt.isoformat()[:16].replace('T', ' ')}")
    others = Calendar()
    others.add("prodid", "-//Loopwright//Planner//EN")
    others.add("version", "2.0")
    for each in everything:
        if each.uid not in there:
            others.add_component(each.event)
            found.other_count += 1
    others.add_missing_timezones()
    found.others = bytes(others.to_ical()).decode()
    return found


def _of_plan(server: CalendarServer, root: str) -> list[Stored]:
    return [each for each in server.events() if str(each.event.get(ROOT, "")) == root]

"""A plan on a calendar server: on a small one of the tests, and on Radicale where it is installed."""

import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import Request, urlopen
from xml.sax.saxutils import escape

import pytest

from loopwright.agents.planner.contracts import Schedule
from loopwright.agents.planner.exports.caldav import CalendarServer, pull, push
from loopwright.kernel.errors import InvalidInput
from tests.agents.planner.exports.plans import OUTLINE, SCHEDULE

NOW = datetime(2027, 1, 1, tzinfo=UTC)
OTHER = (
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:dentist\r\nDTSTAMP:20270101T000000Z\r\n"
    "DTSTART:20270401T090000Z\r\nDTEND:20270401T100000Z\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
)


class Handler(BaseHTTPRequestHandler):
    """As much of RFC 4791 as is asked: objects with entity tags, and a report of all."""

    protocol_version = "HTTP/1.1"

    def answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self) -> str:
        return self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()

    def tag(self) -> str | None:
        text = self.server.objects.get(self.path)
        return None if text is None else f'"{sha256(text.encode()).hexdigest()}"'

    def do_REPORT(self) -> None:
        self.body()
        rows = "".join(
            f"<response><href>{path}</href><propstat><prop><getetag>"
            f'"{sha256(text.encode()).hexdigest()}"</getetag><c:calendar-data>{escape(text)}</c:calendar-data></prop>'
            "</propstat></response>"
            for path, text in self.server.objects.items()
        )
        names = 'xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"'
        self.answer(207, f"<?xml version='1.0'?><multistatus {names}>{rows}</multistatus>".encode())

    def do_PUT(self) -> None:
        text, known, wanted = self.body(), self.tag(), self.headers.get("If-Match")
        fits = known == wanted if wanted else known is None or self.headers.get("If-None-Match") != "*"
        if fits:
            self.server.objects[self.path] = text
        self.answer(201 if fits else 412)

    def do_DELETE(self) -> None:
        fits = self.tag() == self.headers.get("If-Match")
        if fits:
            del self.server.objects[self.path]
        self.answer(204 if fits else 412)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def small_server(_: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.objects = {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/me/plans/"
    server.shutdown()
    server.server_close()


def radicale(folder: Path) -> Iterator[str]:
    program = shutil.which("radicale")
    if program is None:
        pytest.skip("Radicale is not installed (GPL-3: a tool of this test alone, never a dependency)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program, "--auth-type", "none", "--server-hosts", f"127.0.0.1:{port}"]
    with subprocess.Popen(
        [*command, "--storage-filesystem-folder", str(folder)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        url, until = f"http://127.0.0.1:{port}/me/plans/", time.monotonic() + 60
        while True:
            try:
                urlopen(Request(url, method="MKCALENDAR", headers={"Authorization": "Basic bWU6"}), timeout=10).close()
                break
            except OSError:
                assert time.monotonic() < until
                assert process.poll() is None
        yield url
        process.kill()


@pytest.fixture(params=[small_server, radicale], ids=["small", "radicale"])
def server(request, tmp_path) -> Iterator[CalendarServer]:
    for url in request.param(tmp_path):
        yield CalendarServer(url, "me")


def on_server(server: CalendarServer) -> set[tuple[str, datetime]]:
    return {(str(e.event["SUMMARY"]), e.event["DTSTART"].dt.astimezone(UTC)) for e in server.events()}


def planned(schedule: Schedule) -> set[tuple[str, datetime]]:
    return {(block.title, block.start.astimezone(UTC)) for block in schedule.blocks}


def test_a_change_of_the_plan_leaves_no_stale_entry(server):
    done = push(server, OUTLINE, SCHEDULE, now=NOW)
    assert (len(done.created), done.conflicts) == (4, [])
    assert on_server(server) == planned(SCHEDULE)
    again = push(server, OUTLINE, SCHEDULE, now=NOW + timedelta(days=1))
    assert (again.created, again.changed, again.deleted, again.unchanged) == ([], [], [], 4)
    kept, moved = SCHEDULE.blocks[:2]
    hour = timedelta(hours=1)
    change = SCHEDULE.model_copy(
        update={"blocks": [kept, moved.model_copy(update={"start": moved.start + hour, "end": moved.end + hour})]}
    )
    done = push(server, OUTLINE, change, now=NOW + timedelta(days=2))
    assert (len(done.created), len(done.changed), len(done.deleted), done.unchanged) == (0, 1, 2, 1)
    assert on_server(server) == planned(change)
    assert sorted(int(each.event["SEQUENCE"]) for each in server.events()) == [0, 1]


def test_what_was_changed_on_the_server_stays_and_is_told(server):
    push(server, OUTLINE, SCHEDULE, now=NOW)
    theirs = next(each for each in server.events() if str(each.event["SUMMARY"]) == "Speak with Ana")
    text = re.sub(r"(?<=DTSTART;TZID=Europe/Berlin:)\d{8}", "20270331", theirs.event.to_ical().decode())
    text = re.sub(r"(?<=DTEND;TZID=Europe/Berlin:)\d{8}", "20270401", text)
    assert server.put(theirs.url, f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n{text}END:VCALENDAR\r\n", theirs.etag)
    found = pull(server, OUTLINE, SCHEDULE)
    assert len(found.moved) == 1
    assert found.moved[0].startswith("Speak with Ana: now 2027-03-31")
    done = push(server, OUTLINE, SCHEDULE, now=NOW)
    assert (done.conflicts, done.changed, done.unchanged) == (["Speak with Ana"], [], 3)
    assert pull(server, OUTLINE, SCHEDULE).moved == found.moved


def test_what_is_gone_on_the_server_and_what_others_have_is_told(server):
    assert server.put(f"{server.url}dentist.ics", OTHER, None)
    push(server, OUTLINE, SCHEDULE, now=NOW)
    first = next(each for each in server.events() if each.uid != "dentist")
    assert server.delete(first)
    found = pull(server, OUTLINE, SCHEDULE)
    assert len(found.deleted) == found.other_count == 1
    assert "SUMMARY:Dentist" in found.others
    push(server, OUTLINE, Schedule(timezone="Europe/Berlin"), now=NOW)
    assert [each.uid for each in server.events()] == ["dentist"]


def test_a_version_that_is_not_known_is_neither_overwritten_nor_deleted(server):
    assert server.put(f"{server.url}dentist.ics", OTHER, None)
    assert not server.put(f"{server.url}dentist.ics", OTHER, None)
    (stored,) = server.events()
    assert server.put(stored.url, OTHER.replace("Dentist", "Doctor"), stored.etag)
    assert not server.put(stored.url, OTHER, stored.etag)
    assert not server.delete(stored)
    assert str(server.events()[0].event["SUMMARY"]) == "Doctor"


def test_addresses_that_are_none_and_passwords_in_the_open_are_refused():
    with pytest.raises(InvalidInput, match="no address"):
        CalendarServer("file:///etc/passwd")
    with pytest.raises(InvalidInput, match="unencrypted"):
        CalendarServer("http://dav.example.org/plans/", "me", "secret")
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/plans/"
        with pytest.raises(InvalidInput, match="cannot be reached"):
            CalendarServer(url).events()

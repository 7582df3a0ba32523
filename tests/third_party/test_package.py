"""An agent from somebody else's wheel is used on every surface like the ones that come along."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import Finished, Installation

SOURCE = Path(__file__).parent / "harbour"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which the package's wheel is installed; it is built from a copy."""
    folder = tmp_path_factory.mktemp("harbour")
    build = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    subprocess.run([*build, "--no-build-isolation", "--wheel-dir", folder, SOURCE], check=True, timeout=110)
    (wheel,) = folder.glob("*.whl")
    install = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    subprocess.run([*install, "--target", folder / "site", wheel], check=True, timeout=110)
    return folder / "site"


@pytest.fixture
def place(tmp_path: Path, site: Path) -> Installation:
    return Installation(tmp_path, {"PYTHONPATH": str(site), "HARBOUR_BERTH": "south"})


def waiting(place: Installation) -> Finished:
    """A run that waits for the harbour master."""
    done = place.run("run", "harbour", "Aurora", "--json")
    assert done.code == 3, done.err
    return done


def test_it_is_listed_and_shown(place: Installation) -> None:
    assert "Keeps a harbour's log." in place.run("agents", "list").out
    assert "log_arrival" in place.run("agents", "show", "harbour").out
    assert "Print the harbour's log." in place.run("--help").out


def test_its_gate_is_asked_with_its_own_view_and_its_command_prints_its_table(place: Installation) -> None:
    done = place.run("run", "harbour", "Aurora")
    assert done.code == 3
    assert "Ship       Aurora" in done.out
    run_id = place.newest_run()["run_id"]
    assert place.run("harbour").out == ""
    answered = place.run("runs", "answer", run_id, "--approve")
    assert "Aurora lies at south." in answered.out
    assert "Log        loopwright harbour" in answered.out
    assert place.run("harbour").out == "Aurora at south\n"


def test_its_runs_are_listed_told_and_replayed(place: Installation) -> None:
    run_id = waiting(place).last["run_id"]
    place.run("runs", "answer", run_id, "--reject", "--comment", "full")
    (listed,) = place.run("runs", "list", "--json").lines
    assert (listed["agent"], listed["status"]) == ("harbour", "completed")
    events = [event["type"] for event in place.run("runs", "events", run_id, "--json").lines]
    assert {"gate_opened", "gate_answered", "run_completed"} <= set(events)
    assert place.run("runs", "replay", run_id).code == 0
    assert place.run("harbour").out == ""


@pytest.fixture
def address(place: Installation) -> Iterator[str]:
    """A server that has the package."""
    server = place.start("serve", "--port", "0")
    assert server.stdout is not None
    line = next(line for line in server.stdout if "http://" in line)
    yield "http://" + line.split("http://")[1].split()[0].rstrip("/")
    server.terminate()
    server.communicate(timeout=30)


def asked(url: str, body: object = None) -> object:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def follow(address: str, run_id: str, until: bytes) -> None:
    """Watch the run's events until this one comes."""
    request = urllib.request.Request(f"{address}/api/runs/{run_id}/events", headers={"Accept": "text/event-stream"})
    with urllib.request.urlopen(request, timeout=60) as stream:
        next(line for line in stream if until in line)


def test_its_route_and_its_gates_are_served(place: Installation, address: str) -> None:
    assert asked(f"{address}/api/harbour") == []
    run = asked(f"{address}/api/runs", {"agent": "harbour", "message": "Aurora"})
    assert isinstance(run, dict)
    follow(address, run["run_id"], b"run_waiting_input")
    (gate,) = asked(f"{address}/api/gates")["gates"]
    asked(f"{address}/api/gates/{gate['gate_id']}", {"decision": "approve"})
    follow(address, run["run_id"], b"run_completed")
    assert asked(f"{address}/api/harbour") == [{"ship": "Aurora", "berth": "south"}]
    assert asked(f"{address}/openapi.json")["paths"]["/api/harbour"]

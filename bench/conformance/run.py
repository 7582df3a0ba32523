"""Run the public conformance suite of MCP against Loopwright's server and client layers, and print a table.

`python -m bench.conformance.run [--node FOLDER]`: it needs Node 22 or later and the suite, which `npx` fetches, or
which lies in FOLDER/node_modules (npm install node@24 @modelcontextprotocol/conformance@0.2.0-alpha.12).
"""

import argparse
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
REVISIONS = ("2026-07-28", "2025-11-25")
SERVED = re.compile(r"^[✓✗] ([\w/-]+): (\d+) passed, (\d+) failed", re.MULTILINE)
CALLED = re.compile(r"^Passed: (\d+)/\d+, (\d+) failed", re.MULTILINE)
LISTED = re.compile(r"^  - ([\w/-]+)$", re.MULTILINE)
STARTING_SECONDS = 60.0
SUITE_SECONDS = 900.0


@dataclass
class Outcome:
    """What a role has come to at a revision: the required scenarios and whether they passed, the checks in them."""

    role: str
    revision: str
    scenarios: dict[str, bool] = field(default_factory=dict)
    checks: int = 0

    def add(self, scenario: str, passed: int, failed: int) -> None:
        """Take the checks of a scenario."""
        self.scenarios[scenario] = passed > 0 and failed == 0
        self.checks += passed

    @property
    def row(self) -> str:
        """A row of the table."""
        passed = f"{sum(self.scenarios.values())} of {len(self.scenarios)}"
        return f"| {self.role} | {self.revision} | {passed} | {self.checks} |"


def suite_command(folder: Path | None) -> list[str]:
    """How the suite is called.

    Raises:
        SystemExit: it is not there.
    """
    if folder is not None:
        programs = folder / "node_modules" / ".bin"
        return [str(programs / "node"), str(programs / "conformance")]
    npx = shutil.which("npx")
    if npx is None:
        raise SystemExit("npx is not installed: see --node")
    return [npx, "--yes", SUITE]


def output_of(words: list[str]) -> str:
    """What a run of the suite prints, on either stream."""
    with tempfile.TemporaryDirectory() as folder:
        results = ["-o", folder] if "list" not in words else []
        done = subprocess.run(
            [*words, *results],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SUITE_SECONDS,
            check=False,
        )
    return done.stdout


def required(command: list[str], role: str, revision: str) -> list[str]:
    """The scenarios that a revision requires of a role.

    Raises:
        SystemExit: the suite does not list any.
    """
    listed = output_of([*command, "list", "--requirements", revision])
    section = listed.partition(f"{role.capitalize()} scenarios")[2].partition("\n\n")[0]
    names = LISTED.findall(section)
    if not names:
        raise SystemExit(f"the suite lists nothing:\n{listed[-2_000:]}")
    return names


def of_server(command: list[str], revision: str, port: int) -> Outcome:
    """Run all that the revision requires of a server."""
    target = ["--url", f"http://127.0.0.1:{port}/mcp", "--requirements", revision]
    counted = {name: (int(p), int(f)) for name, p, f in SERVED.findall(output_of([*command, "server", *target]))}
    outcome = Outcome("server", revision)
    for name in required(command, "server", revision):
        outcome.add(name, *counted.get(name, (0, 0)))
    return outcome


def of_client(command: list[str], revision: str) -> Outcome:
    """Run what it requires of a client, one scenario after the other: all at once they time out on a small machine."""
    client = f"{sys.executable} -m bench.conformance.client"
    outcome = Outcome("client", revision)
    for name in required(command, "client", revision):
        target = ["--command", client, "--scenario", name, "--spec-version", revision, "--timeout", "60000"]
        found = CALLED.search(output_of([*command, "client", *target]))
        outcome.add(name, *(int(number) for number in found.groups()) if found else (0, 1))
    return outcome


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    """Wait until the server answers.

    Raises:
        SystemExit: it does not.
    """
    end = time.monotonic() + STARTING_SECONDS
    while time.monotonic() < end and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("the server of the fixture did not start")


def main() -> int:
    """Run both roles at both revisions; the exit code tells whether every required scenario has passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node", type=Path, help="Folder whose node_modules hold node and the suite.")
    command = suite_command(parser.parse_args().node)
    port = free_port()
    server = subprocess.Popen([sys.executable, "-m", "bench.conformance.server", str(port)], cwd=ROOT)
    outcomes = []
    try:
        wait_for(port, server)
        for revision in REVISIONS:
            outcomes += [of_server(command, revision, port), of_client(command, revision)]
    finally:
        server.terminate()
        server.wait(timeout=30)
    print("| role | revision | required scenarios passed | checks in them |\n|---|---|---|---|")
    for outcome in outcomes:
        print(outcome.row)
    failed = [f"{o.role} {o.revision} {name}" for o in outcomes for name, passed in o.scenarios.items() if not passed]
    print("\n".join(f"FAILED {name}" for name in failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

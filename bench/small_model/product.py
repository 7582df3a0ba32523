"""Runs a case through the product's command line, as a user who has gone away would: told once, asked nothing."""

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.small_model.judge_jobs import page_of
from bench.small_model.outcome import Ended, Outcome

ENDINGS: dict[int, Ended] = {0: "complete", 3: "waiting"}


@dataclass(frozen=True)
class Product:
    """How the product is called; `environment` names the endpoint."""

    program: str
    environment: dict[str, str]
    seconds: float
    data: Path | None = None

    def run(self, agent: str, case: dict[str, Any], place: Path) -> Outcome:
        """Run all messages of a case in a folder of its own."""
        deadline = time.monotonic() + self.seconds
        return _RUNS[agent](self, case, place, deadline)

    def call(self, arguments: list[str], place: Path, deadline: float) -> "Called":
        """One command; past the deadline it is ended with all that it has started."""
        environment = os.environ | self.environment | {"LOOPWRIGHT_HOME": str(place / "home")}
        # A user has the environment active: programs such as pytest are on the path.
        environment["PATH"] = f"{Path(self.program).resolve().parent}{os.pathsep}{environment['PATH']}"
        with (place / "out.jsonl").open("ab") as out, (place / "err.txt").open("ab") as err:
            begin = out.tell()
            process = subprocess.Popen(
                [self.program, *arguments],
                cwd=place,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                code = process.wait(max(deadline - time.monotonic(), 1))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGTERM)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                code = -1
        lines = (place / "out.jsonl").read_bytes()[begin:].decode("utf-8", "replace").splitlines()
        return Called(code, [json.loads(line) for line in lines if line.startswith("{")])


@dataclass(frozen=True)
class Called:
    """A command that has ended: its code, -1 where it was ended, and its JSON lines."""

    code: int
    lines: list[dict[str, Any]]

    def last(self, kind: str) -> dict[str, Any]:
        """The last line of a kind; empty where there is none."""
        return next((line for line in reversed(self.lines) if line.get("type") == kind), {})

    def outcome(self, folder: Path, **extra: Any) -> Outcome:
        """What it comes to."""
        complete = self.last("complete")
        ended: Ended = "timeout" if self.code == -1 else ENDINGS.get(self.code, "failed")
        if ended == "complete" and not complete:
            ended = "failed"
        gates = [line["payload"] for line in self.lines if line.get("type") == "gate_opened"]
        asked = [each for gate in gates for each in gate.get("questions") or []]
        return Outcome(
            ended,
            folder,
            answer=str(complete.get("message") or ""),
            account=complete.get("account") or {},
            questions=tuple(str(each.get("question", "")) for each in asked),
            extra=extra | {"complete": complete},
        )


def _ide(product: Product, case: dict[str, Any], place: Path, deadline: float) -> Outcome:
    folder = place / "project"
    for path, text in case["files"].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    called = product.call(["ide", case["messages"][0], "--root", str(folder), "--yes", "--json"], place, deadline)
    return called.outcome(folder)


def _designspec(product: Product, case: dict[str, Any], place: Path, deadline: float) -> Outcome:
    """The part is read from the newest solid that a run exported; without one the document is run as it stands."""
    messages = [part for message in case["messages"] for part in ("--message", message)]
    called = product.call(["designspec", "-p", "part", *messages, "--yes", "--json"], place, deadline)
    solids = sorted(place.glob("part/artifacts/*/solid.stl"), key=lambda path: path.stat().st_mtime)
    spec = place / "part" / "spec.json"
    extra: dict[str, Any] = {}
    if solids and spec.exists() and solids[-1].stat().st_mtime >= spec.stat().st_mtime:
        extra["mesh"] = str(solids[-1])
    elif spec.exists():
        built = subprocess.run(
            [product.program, "designspec", "run", str(spec), "--out", str(place / "built")],
            cwd=place,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        solids = sorted(place.glob("built/**/solid.stl"))
        extra |= {"mesh": str(solids[-1])} if solids else {"no_mesh": (built.stdout + built.stderr).strip()[-500:]}
    return called.outcome(place / "part", **extra)


def _pages(product: Product, case: dict[str, Any], place: Path, deadline: float) -> Outcome:
    called = product.call(["pages", case["messages"][0], "--yes", "--json", "--out", "out"], place, deadline)
    return called.outcome(place / "out")


def _planner(product: Product, case: dict[str, Any], place: Path, deadline: float) -> Outcome:
    arguments = ["plan", case["messages"][0], "--start", case["start"], "--tz", "Europe/Berlin"]
    called = product.call([*arguments, "--yes", "--json", "--out", "out"], place, deadline)
    files = sorted(place.glob("out/*/*.ics"))
    return called.outcome(place / "out", ics=str(files[-1]) if files else None)


def _jobs(product: Product, case: dict[str, Any], place: Path, deadline: float) -> Outcome:
    if product.data is None:
        raise ValueError("the folder of the RFCs is needed")
    (place / "page.txt").write_text(page_of(product.data, case), encoding="utf-8")
    arguments = ["jobs", "run", "creator", "-d", "page.txt", "--language", "en", "--workspace", "workspace", "--json"]
    called = product.call(arguments, place, deadline)
    named = [line.get("session_id") or line.get("payload", {}).get("session_id") for line in called.lines]
    job = called.last("complete").get("job_id") or next((each for each in named if each), None)
    stored = product.call(["jobs", "requirements", str(job), "--json"], place, time.monotonic() + 60) if job else None
    texts = [str(_quote(line)) for line in (stored.lines if stored else [])]
    return called.outcome(place / "workspace", requirements=texts)


def _quote(line: dict[str, Any]) -> str:
    """The words of the document that bear a requirement; its own text where it has no quote."""
    quotes = [str(each.get("quote") or each.get("verbatim_quote") or "") for each in line.get("citations") or []]
    return next((quote for quote in quotes if quote), str(line.get("text") or line.get("name") or ""))


_RUNS = {"ide": _ide, "designspec": _designspec, "pages": _pages, "planner": _planner, "jobs": _jobs}

"""An endpoint in front of the endpoint: passes all on, and counts calls and tokens, whoever calls."""

import fcntl
import json
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

HOP = frozenset({"host", "connection", "content-length", "transfer-encoding", "accept-encoding"})


@dataclass
class Counts:
    """What went through: `prompt`, `cached` and `answer` are tokens as the server counts them."""

    calls: int = 0
    refused: int = 0
    prompt: int = 0
    cached: int = 0
    answer: int = 0
    first_prompt: int = 0
    uncounted: int = 0
    bodies: list[dict[str, Any]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def numbers(self) -> dict[str, int]:
        """The counts alone."""
        return {name: value for name, value in asdict(self).items() if isinstance(value, int)}

    def take(self, usage: dict[str, Any] | None) -> None:
        """Add what an answer says of itself."""
        if not usage:
            self.uncounted += 1
            return
        self.prompt += int(usage.get("prompt_tokens") or 0)
        self.answer += int(usage.get("completion_tokens") or 0)
        self.cached += int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)
        self.first_prompt = self.first_prompt or int(usage.get("prompt_tokens") or 0)


@contextmanager
def counted(endpoint: str) -> Iterator[tuple[str, Counts]]:
    """The address to call instead of `endpoint` (which ends in /v1), and what is counted there."""
    counts, lock = Counts(), threading.Lock()
    root = endpoint.removesuffix("/").removesuffix("/v1")

    class Handler(BaseHTTPRequestHandler):
        """One request: passed on as it is; a stream is passed on line by line."""

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """Pass on."""
            self._pass(None)

        def do_POST(self) -> None:
            """Pass on, and count where a model answers."""
            self._pass(self.rfile.read(int(self.headers.get("content-length") or 0)))

        def _pass(self, body: bytes | None) -> None:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
            request = urllib.request.Request(root + self.path, data=body, headers=headers, method=self.command)
            chat = body is not None and self.path.endswith("/chat/completions")
            try:
                answer = urllib.request.urlopen(request, timeout=1200)
            except urllib.error.HTTPError as error:
                answer = error  # an answer all the same
            except OSError as error:
                self.send_error(502, str(error))
                return
            with answer:
                self.send_response(answer.status or 502)
                self.send_header("content-type", answer.headers.get("content-type", "application/json"))
                self.send_header("connection", "close")
                self.end_headers()
                whole = self._copy(answer)
            if chat:
                with lock:
                    _count(counts, body or b"", whole, answer.status or 502)

        def _copy(self, answer: Any) -> bytes:
            whole = b""
            try:
                while piece := answer.read1(65536):
                    whole += piece
                    self.wfile.write(piece)
                    self.wfile.flush()
            except OSError:
                # The caller has gone; what was read so far is counted.
                self.close_connection = True
            return whole

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", counts
    finally:
        server.shutdown()
        server.server_close()


def _count(counts: Counts, body: bytes, whole: bytes, status: int) -> None:
    counts.calls += 1
    counts.bodies.append({"request": _json(body), "status": status, "answer": whole.decode("utf-8", "replace")})
    if status >= 400:
        counts.refused += 1
        counts.errors.append(whole.decode("utf-8", "replace")[:500])
        return
    usage = (_json(whole) or {}).get("usage")
    for line in whole.decode("utf-8", "replace").splitlines():
        if line.startswith("data: {"):
            usage = (_json(line[6:].encode()) or {}).get("usage") or usage
    counts.take(usage)


def _json(text: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def cpu_seconds(pid: int | None) -> float:
    """Seconds of processor time that a process has used so far; 0 where none is named."""
    if pid is None:
        return 0.0
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def alone(lock: str | None) -> Iterator[None]:
    """Hold a lock on the model while a case runs, where others use it too."""
    if lock is None:
        yield
        return
    with Path(lock).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield

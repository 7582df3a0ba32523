"""Six small programs in Loopwright and in its peers: how long they are, and what is left of them after `kill -9`.

    python bench/programs.py [--python PYTHON] [--json]

`PYTHON` is an interpreter that has the peers: `uv pip install "pydantic-ai-slim[openai]"
"pydantic-ai-harness[code-mode]" "pydantic-monty<1" "langchain>=1" langchain-openai langgraph-checkpoint-sqlite
openai-agents`. A peer that it does not have is left out, and named. Every program is run against a model server on
loopback. The three that pay are killed by the bank in the middle of the payment, and then carried on as their library
means it. Code mode is in ours and in Pydantic AI's harness; the other two have none, and are shown with `exec` by hand
(`*`), which is no sandbox.
"""

import argparse
import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PROGRAMS = Path(__file__).parent / "peers" / "programs"
NAMES = ("hello", "approval", "typed", "sub_agent", "resume", "code_mode")
PAYING = ("approval", "resume", "code_mode")
BY_HAND = (("langgraph", "code_mode"), ("openai_agents", "code_mode"))
MODULES = {"ours": "loopwright", "pydantic_ai": "pydantic_ai", "langgraph": "langchain", "openai_agents": "agents"}
EXPECTED = {
    "hello": "At 06:12.",
    "approval": "It is paid.",
    "typed": "Tides 3",
    "sub_agent": "The sum is right.",
    "resume": "It is paid.",
    "code_mode": "It is paid.",
}
SCRIPT = """\
import asyncio
prices = await asyncio.gather(price(item="tea"), price(item="cake"))
print(await pay(euros=sum(prices)))
"""
PLAIN_SCRIPT = """\
print(pay(euros=sum([price(item="tea"), price(item="cake")])))
"""
REPORT = {"title": "Tides", "pages": 3}
SECONDS = 120


@dataclass
class World:
    """The model and the bank; `victim` is killed by the next payment."""

    payments: list[str] = field(default_factory=list)
    victim: "subprocess.Popen[str] | None" = None
    armed: bool = False


def answer(body: dict[str, Any]) -> dict[str, Any]:
    """The next sensible message of the model."""
    messages, tools = body["messages"], {t["function"]["name"]: t["function"] for t in body.get("tools") or ()}
    system = next((m["content"] for m in messages if m["role"] in ("system", "developer")), "")
    if "auditor" in str(system):
        return {"content": "It is right."}
    if messages[-1]["role"] == "tool" and "final_result" not in tools:
        words = {"tide": "At 06:12.", "pay": "It is paid.", "run_code": "It is paid.", "auditor": "The sum is right."}
        return {"content": next(words[name] for name in tools if name in words)}
    if body.get("response_format"):
        return {"content": json.dumps(REPORT)}
    name, function = next(iter(tools.items()))
    asynchronous = "await" in json.dumps(body)  # told of functions that are awaited, where there is a sandbox
    return {
        "content": None,
        "tool_calls": [call(name, function["parameters"], SCRIPT if asynchronous else PLAIN_SCRIPT)],
    }


def call(name: str, parameters: dict[str, Any], script: str) -> dict[str, Any]:
    """A call of the one tool there is, with arguments by its schema."""
    values: dict[str, Any] = {"port": "Cork", "euros": 3, "code": script, "message": "Is 2 + 2 = 4?", **REPORT}
    wanted = parameters["properties"]
    arguments = {key: values.get(key, "Is 2 + 2 = 4?") for key in wanted if key in values or len(wanted) == 1}
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": "call_1", "type": "function", "function": function}


def server_of(world: World) -> ThreadingHTTPServer:
    """The model and the bank on one port."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

        def do_GET(self) -> None:
            """The list of models."""
            self._send(200, {"object": "list", "data": [{"id": "gpt-4.1", "object": "model", "owned_by": "bench"}]})

        def do_POST(self) -> None:
            """A model call, or a payment."""
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            if self.path.startswith("/pay/"):
                return self._pay()
            asked = json.loads(body)
            if self.path.endswith("/responses"):
                return self._send(200, as_response(answer(as_chat(asked))))
            message: dict[str, Any] = {"role": "assistant", **answer(asked)}
            reason = "tool_calls" if message.get("tool_calls") else "stop"
            if asked.get("stream"):
                return self._stream(message, reason)
            choice = {"index": 0, "message": message, "finish_reason": reason}
            return self._send(200, {**WHOLE, "object": "chat.completion", "choices": [choice], "usage": USAGE})

        def _pay(self) -> None:
            world.payments.append(self.path)
            if world.armed and world.victim is not None:
                world.armed = False
                world.victim.kill()
                return
            self._send(200, "paid")

        def _stream(self, message: dict[str, Any], reason: str) -> None:
            delta = dict(message)
            if delta.get("tool_calls"):
                delta["tool_calls"] = [{"index": i, **each} for i, each in enumerate(delta["tool_calls"])]
            chunks = [
                {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
                {"choices": [], "usage": USAGE},
            ]
            kind = {**WHOLE, "object": "chat.completion.chunk"}
            lines = [f"data: {json.dumps({**kind, **chunk})}\n\n" for chunk in chunks]
            self._write(200, "text/event-stream", ("".join(lines) + "data: [DONE]\n\n").encode())

        def _send(self, status: int, value: Any) -> None:
            self._write(status, "application/json", json.dumps(value).encode())

        def _write(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def as_chat(asked: dict[str, Any]) -> dict[str, Any]:
    """A request to OpenAI's Responses API, which its agents speak by default, as one for a chat completion."""
    given = asked["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    results = [{"role": "tool", "content": item["output"]} for item in items if "output" in item]
    return {
        "messages": [
            {"role": "system", "content": asked.get("instructions") or ""},
            *(item for item in items if "role" in item),
            *results,
        ],
        "tools": [{"function": tool} for tool in asked.get("tools") or ()],
        "response_format": (asked.get("text") or {}).get("format"),
    }


def as_response(message: dict[str, Any]) -> dict[str, Any]:
    """A message as the Responses API gives it."""
    calls = [
        {"type": "function_call", "id": "fc_1", "call_id": each["id"], "status": "completed", **each["function"]}
        for each in message.get("tool_calls") or ()
    ]
    text = {"type": "output_text", "text": message["content"], "annotations": []}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-4.1",
        "status": "completed",
        "output": calls or [said],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 100,
            "output_tokens": 20,
            "total_tokens": 120,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


WHOLE = {"id": "c", "created": 1, "model": "gpt-4.1"}
USAGE = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}


@dataclass
class Measured:
    """One program: its lines of code, the names it imports, whether it works, and what a kill leaves."""

    lines: int
    imports: int
    works: bool
    after_kill: str = ""
    payments_after_kill: int | None = None


def size(file: Path) -> tuple[int, int]:
    """Lines of code (no blank lines, no comments, no docstrings), and imported names."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    lines, imports = set(), 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports += len(node.names)
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and ast.get_docstring(
            node
        ):
            del node.body[0]
    text = ast.unparse(tree).splitlines()
    lines.update(number for number, line in enumerate(text) if line.strip())
    return len(lines), imports


@dataclass
class Bench:
    """A library's programs, run in folders of their own."""

    library: str
    python: str
    world: World
    address: str

    def measure(self, name: str) -> Measured:
        """Run one program, and kill it where it pays."""
        lines, imports = size(PROGRAMS / self.library / f"{name}.py")
        self.world.payments.clear()
        with tempfile.TemporaryDirectory() as folder:
            told = self._start(name, Path(folder), kill=False)
            if name == "approval":
                told = self._go_on(name, Path(folder), told)
        paid = len(self.world.payments) == (name in PAYING)
        measured = Measured(lines, imports, works=paid and told.strip().endswith(EXPECTED[name]))
        if name in PAYING:
            with tempfile.TemporaryDirectory() as folder:
                measured.after_kill, measured.payments_after_kill = self._killed(name, Path(folder))
        return measured

    def _killed(self, name: str, folder: Path) -> tuple[str, int]:
        """What the program says once it was killed in the middle of paying and carried on; how often it has paid."""
        self.world.payments.clear()
        if name == "approval":
            self._go_on(name, folder, self._start(name, folder, kill=False), kill=True)
        else:
            self._start(name, folder, kill=True)
        return self._carry_on(name, folder)[:100], len(self.world.payments)

    def _start(self, name: str, folder: Path, *, kill: bool) -> str:
        return self._run([str(PROGRAMS / self.library / f"{name}.py")], folder, kill=kill)

    def _go_on(self, name: str, folder: Path, told: str, *, kill: bool = False) -> str:
        """The second process of the program, with the approval."""
        run_id = told.split()[-1] if told.split() else "none"
        return self._run([str(PROGRAMS / self.library / f"{name}.py"), run_id], folder, kill=kill)

    def _carry_on(self, name: str, folder: Path) -> str:
        """What comes of the library's own way after a crash: the command, or the program once more."""
        if self.library != "ours":
            told = self._run([str(PROGRAMS / self.library / f"{name}.py"), "again"], folder, kill=False)
            return next((line for line in reversed(told.splitlines()) if line.strip()), "nothing")
        program = "from loopwright.cli.main import main; main()"
        listed = self._run(["-c", program, "runs", "list", "--json"], folder, kill=False)
        run_id = json.loads(listed.splitlines()[0])["run_id"]
        resumed = self._run(["-c", program, "runs", "resume", run_id, "--json"], folder, kill=False)
        line = json.loads(resumed.splitlines()[-1])
        return str(line["gate"]["title"] if line["type"] == "waiting" else line["message"])

    def _run(self, arguments: list[str], folder: Path, *, kill: bool) -> str:
        environment = {
            **os.environ,
            "PYTHONPATH": str(PROGRAMS),
            "OPENAI_BASE_URL": f"{self.address}/v1",
            "OPENAI_API_KEY": "bench",
            "OPENAI_DEFAULT_MODEL": "gpt-4.1",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "LANGSMITH_TRACING": "false",
            "MODEL_STANDARD": "gpt-4.1",
            "LOOPWRIGHT_HOME": str(folder / "home"),
            "BANK": self.address,
        }
        self.world.armed = kill
        process = subprocess.Popen(
            [self.python, *arguments],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.world.victim = process
        told, _ = process.communicate(timeout=SECONDS)
        return told


def has(python: str, module: str) -> bool:
    """Whether this interpreter has the library."""
    if shutil.which(python) is None:
        return False
    return subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def table(measured: dict[str, dict[str, Measured]]) -> str:
    """Lines and imports side by side, then what a kill leaves."""
    libraries = list(measured)
    lines = [f"{'lines / imported names':24}" + "".join(f"{library:>16}" for library in libraries)]
    for name in NAMES:
        cells = [(measured[library][name], "*" if (library, name) in BY_HAND else "") for library in libraries]
        shown = [f"{hand}{m.lines} / {m.imports}" + ("" if m.works else " FAILS") for m, hand in cells]
        lines.append(f"{name:24}" + "".join(f"{cell:>16}" for cell in shown))
    lines.append("")
    for name in PAYING:
        for library in libraries:
            m = measured[library][name]
            lines.append(f"{name}, killed while it pays: {library:14} paid {m.payments_after_kill} × — {m.after_kill}")
    return "\n".join(lines)


def main() -> int:
    """Measure and report; 1 if a program of ours does not work, or has paid twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=shutil.which("python3") or sys.executable, help="has the peers")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    world = World()
    server = server_of(world)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    measured: dict[str, dict[str, Measured]] = {}
    for library, module in MODULES.items():
        python = sys.executable if library == "ours" else options.python
        if not has(python, module):
            print(f"left out: {library}, which {python} does not have", file=sys.stderr)
            continue
        bench = Bench(library, python, world, address)
        measured[library] = {name: bench.measure(name) for name in NAMES}
    server.shutdown()
    told = {library: {name: asdict(m) for name, m in each.items()} for library, each in measured.items()}
    print(json.dumps(told) if options.json else table(measured))
    ours = measured["ours"].values()
    return int(not all(m.works and m.payments_after_kill in (None, 1) for m in ours))


if __name__ == "__main__":
    sys.exit(main())

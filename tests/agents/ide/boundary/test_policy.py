"""Attacks 57 and 61-66: what is decided by policy, and what a user has agreed to."""

import asyncio
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.ide.sandbox import isolation
from loopwright.agents.ide.sandbox.isolation import ALWAYS
from loopwright.agents.ide.tools import run_command
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.gates import Finished, Waiting
from loopwright.kernel.testing import Reply
from loopwright.kernel.web.addresses import parse_target
from tests.agents.ide.acting import ENDING, act, project_at
from tests.agents.ide.boundary.answering import approved
from tests.agents.ide.boundary.grounds import SECRET, Grounds, tree
from tests.agents.ide.commanding import confined

pytestmark = confined


@pytest.mark.parametrize("missing", ["everywhere", "here"])
@pytest.mark.parametrize("tool", ["run_command_with_network", "run_command"])
async def test_attack_57_sandbox_that_is_missing(
    project: Grounds, tool: str, missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A yes to a command in the sandbox, or to the network in it, is none to leaving it when it is gone by then."""
    call: Reply = [(tool, {"command": "touch taken"})]
    account = await act(project.root, call, allowed=())
    before = tree(project.root)
    monkeypatch.setattr(run_command, "isolation", lambda *places: None)
    if missing == "everywhere":
        monkeypatch.setattr(run_command, "can_confine", lambda: False)
    after = await approved(account, *ENDING)
    assert isinstance(after.outcome, Finished), after.outcome
    (result,) = after.results(tool)
    assert not result["success"]
    assert tree(project.root) == before
    if missing == "here":
        assert "nobody has allowed to leave it" in result["output"]
        return
    fresh = await act(project.root, call, allowed=["run", "write", "protected"])
    assert isinstance(fresh.outcome, Waiting)
    assert fresh.outcome.gate.details["leaves_sandbox"] is True
    assert tree(project.root) == before


def test_root_without_a_user_namespace_confines_nothing(project: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where root can have no user namespace nothing is confined; an ordinary user keeps every other wall."""
    module = sys.modules[isolation.__module__]
    monkeypatch.setattr(module, "_works", lambda line, user: "--unshare-user" not in line)
    found = isolation(project.root, project_at(project.root).state_folder)
    if os.getuid() == 0:
        assert found is None
    else:
        assert found is not None
        assert (found.layer, found.flags) == ("copy", ALWAYS)


HOSTS = (
    "http://allowed.example\0.evil.test/", "http://allowed.example%00.evil.test/", "http://a\r\nb.test/",
    "http://a\tb.test/", "http://allowed.example\\@evil.test/", "http://user@evil.test/", "http://[::1%25eth0]/",
    "http://127.0.0.1\0/", "http://a\u2028b.test:1/", "http://\ud800.test/",
)  # fmt: skip


@pytest.mark.parametrize("url", HOSTS)
def test_attack_61_host_name_with_odd_characters(url: str) -> None:
    with pytest.raises(InvalidInput):
        parse_target(url)


async def test_attack_62_data_in_names_that_are_looked_up(grounds: Grounds) -> None:
    """Nobody resolves a name for a command, and no packet gets out, to the machine's own resolver neither."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as resolver:
        resolver.bind(("127.0.0.1", 0))
        resolver.setblocking(False)
        port = resolver.getsockname()[1]
        line = f"""python3 - <<'END'
import socket
def tried(work):
    try:
        work(); return 'sent'
    except OSError:
        return 'refused'
packet = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print(tried(lambda: socket.getaddrinfo('canary.example.org', 80)))
print(tried(lambda: packet.sendto(b'x', ('127.0.0.1', {port}))))
print(tried(lambda: packet.sendto(b'x', ('192.0.2.1', 53))), tried(lambda: socket.socket(17, 3, 3)))
print(open('/proc/net/dev').read().count(':'))
END"""
        told = (await grounds.prints(line)).split()
        assert (told[0], *told[2:]) == ("refused", "refused", "refused", "1"), "only a loopback of its own is there"
        await asyncio.sleep(0.1)
        with pytest.raises(BlockingIOError):
            resolver.recv(1)


async def test_attack_63_agent_that_starts_another_one(grounds: Grounds) -> None:
    """Loopwright is not in the sandbox, its home neither, and no server of it is reached from there."""
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    home, own = project_at(grounds.root).state_folder, Path(run_command.__file__).parents[5]
    try:
        for line in (
            "loopwright ide x", "python3 -m loopwright", "python3 -c 'import loopwright'",
            f"{sys.prefix}/bin/loopwright", f"ls {home}", f"ls {own}", "bwrap --ro-bind / / true",
            f"python3 -c \"import socket; socket.create_connection(('127.0.0.1', {port}), 2)\"",
        ):  # fmt: skip
            await grounds.fails(line)
    finally:
        server.close()


async def test_attack_64_changes_that_are_lost_without_a_word(grounds: Grounds) -> None:
    """What is not written to the project is told: outside it cannot be written at all, but for `/tmp`."""
    for place in ("/x", "/etc/x", "/usr/local/x", "/opt/x", "/dev/x", "/var/x"):
        await grounds.fails(f"echo x > {place}")
    report = await grounds.run("echo x > made.txt; mkfifo pipe; sleep 60", seconds=0.7)
    assert report.outcome is not None
    assert "more than 0.7 seconds" in report.outcome.stopped
    assert "made.txt" in report.dropped
    told = await grounds.run("echo x > made.txt; mkfifo pipe")
    assert (list(told.paths), list(told.landing.left_out)) == (["made.txt"], ["pipe"])
    words = Path(run_command.__file__).with_suffix(".md").read_text(encoding="utf-8")
    assert "/tmp" in words


TRUSTED = (".vscode/tasks.json", ".husky/pre-push", ".github/workflows/x.yml", ".bashrc", "sub/.mcp.json")
WRITERS: dict[str, Any] = {
    "write_file": lambda path: {"path": path, "content": "taken"},
    "create_file": lambda path: {"path": path, "content": "taken"},
    "apply_patch": lambda path: {"diff": f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+taken\n"},
}


@pytest.mark.parametrize("tool", WRITERS)
@pytest.mark.parametrize("path", TRUSTED)
async def test_attack_65_edit_tools_beside_the_sandbox(project: Grounds, tool: str, path: str) -> None:
    """They are held to the same list of files as commands, whatever else was allowed."""
    before = tree(project.root)
    call: Reply = [(tool, WRITERS[tool](path))]
    account = await act(project.root, call, *(ENDING if tool == "apply_patch" else ()), allowed=["write", "run"])
    assert tree(project.root) == before
    if tool == "apply_patch":
        assert not account.results()[0]["success"]
    else:
        assert isinstance(account.outcome, Waiting), account.outcome
    inside = await act(
        project.root, [(tool, WRITERS[tool](".git/hooks/pre-commit"))], *ENDING, allowed=["protected", "write"]
    )
    assert not inside.results()[0]["success"]
    assert tree(project.root) == before


@pytest.mark.parametrize("swapped", ["base", "patch set"])
async def test_attack_66_applied_is_what_was_shown(project: Grounds, swapped: str) -> None:
    project.write({".vscode/tasks.json": "{}\n"})
    account = await act(project.root, [("run_command", {"command": "echo shown > .vscode/tasks.json"})], *ENDING)
    (result,) = account.results("run_command")
    held = result["artifacts"]["held"]
    waiting = await act(project.root, [("patchset_apply", {"patch_set_id": held})], allowed=["write", "run"])
    assert isinstance(waiting.outcome, Waiting)
    assert "shown" in waiting.outcome.gate.details["diff"]
    if swapped == "base":
        project.write({".vscode/tasks.json": "the user's own\n"})
    else:
        files = [
            place
            for place in project_at(project.root).state_folder.rglob("*")
            if held in place.name and place.is_file()
        ]
        assert files
        for place in files:
            place.write_text(place.read_text().replace("shown", "taken").replace("c2hvd24K", "dGFrZW4K"))
    before = tree(project.root)
    after = await approved(waiting, *ENDING)
    assert not after.results("patchset_apply")[0]["success"]
    assert tree(project.root) == before
    assert SECRET not in account.shown

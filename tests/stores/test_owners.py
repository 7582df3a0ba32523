"""Owners name their process, so that a dead one is known at once."""

import os
import signal
import subprocess
import sys

import pytest

from loopwright.stores.claims import owner_exists, owner_id

PRINT_OWNER = "from loopwright.stores.claims import owner_id; print(owner_id(), flush=True); input()"


@pytest.fixture
def child() -> subprocess.Popen[str]:
    """A process that has told its owner id and waits; the id is its first line."""
    return subprocess.Popen(
        [sys.executable, "-c", PRINT_OWNER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_this_process_lives_and_has_one_name() -> None:
    assert owner_id() == owner_id()
    assert owner_id().split(":")[1] == str(os.getpid())
    assert owner_exists(owner_id()) is True


def test_a_killed_process_is_dead_even_before_it_is_reaped(child: subprocess.Popen[str]) -> None:
    assert child.stdout is not None
    owner = child.stdout.readline().strip()
    assert owner != owner_id()
    assert owner_exists(owner) is True
    child.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert owner_exists(owner) is False
    child.communicate()
    assert owner_exists(owner) is False


def test_a_reused_process_number_is_another_owner() -> None:
    host, pid, _ = owner_id().split(":")
    assert owner_exists(f"{host}:{pid}:00000000-1") is False


@pytest.mark.parametrize("owner", ["elsewhere:1:token", "no form at all", "", ":", "a:b:c"])
def test_of_others_nothing_is_known(owner: str) -> None:
    assert owner_exists(owner) is None

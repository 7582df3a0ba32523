"""Attacks 58-60: a permission for one command that another one would like to use."""

import pytest

from loopwright.kernel.gates import Finished
from tests.agents.ide.acting import ENDING, act
from tests.agents.ide.boundary.grounds import Grounds, is_asked_about
from tests.agents.ide.commanding import confined

pytestmark = confined
ALLOWED = ("run:echo", "run:pytest", "run:git commit", "run:npm test", "run:ls", "run:env", "run:sh", "run:timeout")
"""What the user has allowed for good; the last ones as an older version or an edited file would have them."""
WRAPPERS = (
    "sh -c 'echo x > taken'", "bash -lc 'echo taken'", "/bin/sh -c echo", "busybox sh -c echo", "echo $(touch taken)",
    "echo `touch taken`", "echo x > taken", "(echo x)", "{ echo x; }", "eval echo x",
    "echo() { touch taken; }; echo x", "python3 -c 'import os'", "find . -exec touch taken {} +", "echo x | sh",
    "echo x & touch taken", "echo x\ntouch taken",
)  # fmt: skip
OUTER_NAMES = (
    "env echo x", "timeout 5 touch taken", "sudo echo", "nohup echo", "xargs touch", "./echo x", "/tmp/echo x",
    "bin/pytest", "npm exec evil", "npm run evil", "git -c alias.commit='!touch taken' commit",
    "git --exec-path=. commit", "git push", "git config alias.commit '!touch taken'", "npx pytest",
    "uv run touch taken", "pytes\u0442", "make echo",
)  # fmt: skip
POISONED = (
    "export PATH=.:$PATH; pytest", "PATH=. pytest", "LD_PRELOAD=./x.so echo x", "alias echo=touch; echo taken",
    "set -a; echo", "export PYTHONSTARTUP=x && pytest", "source x; echo", ". ./x; echo x", "unset PATH; echo x",
    "hash -p ./x echo; echo x", "trap 'touch taken' EXIT; echo x", "enable -f ./x.so y; echo x",
    "printf -v PATH .; pytest", "read PATH; pytest", "PAGER='touch taken' git commit", "GIT_EDITOR=./x git commit",
    "IFS=x; echo y", "cd sub && PATH=. echo x",
)  # fmt: skip


async def waits(project: Grounds, line: str) -> None:
    """The command waits for a yes, which nothing lasting is offered with, and nothing has run."""
    allows = await is_asked_about(project, line, ALLOWED)
    assert not set(allows) & set(ALLOWED) or len(allows) > 1


async def test_what_is_allowed_is_not_asked_about(project: Grounds) -> None:
    account = await act(
        project.root, [("run_command", {"command": "echo x && ls"})], *ENDING, allowed=(), always=list(ALLOWED)
    )
    assert isinstance(account.outcome, Finished)


@pytest.mark.parametrize("line", WRAPPERS)
async def test_attack_58_shell_around_the_command(project: Grounds, line: str) -> None:
    await waits(project, line)


@pytest.mark.parametrize("line", OUTER_NAMES)
async def test_attack_59_permission_by_the_outer_name(project: Grounds, line: str) -> None:
    await waits(project, line)


@pytest.mark.parametrize("line", POISONED)
async def test_attack_60_environment_poisoned_first(project: Grounds, line: str) -> None:
    await waits(project, line)

"""Attempts 28-30 found in the reports of other agents: what a yes is taken for, and what it is given for."""

import pytest

from loopwright.cli.answers import gate_lines
from loopwright.kernel.gates import Finished, Waiting
from tests.agents.ide.acting import ENDING, act
from tests.agents.ide.boundary.grounds import Grounds, is_asked_about
from tests.agents.ide.commanding import confined

pytestmark = confined
ALLOWED = (
    "run:sort", "run:rg", "run:tar", "run:git grep", "run:git fetch", "run:zip", "run:rsync", "run:split", "run:cat",
    "run:echo", "run:go test", "run:git commit",
)  # fmt: skip
STARTERS = (
    "sort --compress-program=./evil main.py", "sort --compress-prog ./evil main.py", "sort -S1 --comp=./evil main.py",
    "rg --pre ./evil x", "rg --pre=./evil x", "rg --hostname-bin=./evil x",
    "tar -cf x.tar --checkpoint=1 --checkpoint-action=exec=./evil src", "tar -xf x.tar --to-command=./evil",
    "tar --use-compress-program=./evil -cf x.tar src", "tar -I ./evil -cf x.tar src", "tar -cI./evil -f x.tar src",
    "git grep -O./evil x", "git grep --open-files-in-pager=./evil x", "git fetch --upload-pack=./evil .",
    "git fetch --upload-pack ./evil .", "zip x.zip main.py -T -TT ./evil",
    "zip x.zip main.py -T --unzip-command ./evil",
    "rsync -e ./evil src host:x", "rsync --rsh=./evil src host:x", "split --filter=./evil main.py",
    "go test -exec ./evil ./x",
)  # fmt: skip
GRAMMAR = (
    "cat <<EOF\n$(touch taken)\nEOF", "cat <<'EOF'\nEOF\ntouch taken", "cat <<<x", "echo x >(touch taken)",
    "echo <(touch taken)", "echo $'\\x41'", "echo {a,b}", "echo x\rtouch taken", "echo x \\\ntouch taken",
    "echo ~root", "! echo x", "echo x |& touch taken", "echo x;; touch taken", "echo x #\ntouch taken",
    "echo x\u2028touch taken", "echo x\x0btouch taken", "echo\u00a0x", "echo x\x85touch taken", "echo !!", "echo [ab]*",
    "echo x ;& touch taken", "coproc echo x", "echo x\0touch taken", "=echo x", "echo x*(e:'touch taken':)",
)  # fmt: skip


async def test_plain_forms_are_not_asked_about(project: Grounds) -> None:
    line = "sort -r main.py && rg --files && git grep -n hello && cat main.py && echo --pretty -I"
    account = await act(project.root, [("run_command", {"command": line})], *ENDING, allowed=(), always=list(ALLOWED))
    assert isinstance(account.outcome, Finished), account.outcome


@pytest.mark.parametrize("line", STARTERS)
async def test_unseen_28_options_that_start_other_programs(project: Grounds, line: str) -> None:
    await is_asked_about(project, line, ALLOWED)


@pytest.mark.parametrize("line", GRAMMAR)
async def test_unseen_29_grammar_that_only_some_shells_have(project: Grounds, line: str) -> None:
    await is_asked_about(project, line, ALLOWED)


LONG = {
    "lines": "echo harmless\n" * 60 + "touch taken",
    "one line": "echo " + "harmless " * 400 + "; touch taken",
    "blank lines": "echo harmless" + "\n" * 300 + "touch taken",
    "blanks": "echo harmless" + " " * 3_000 + "; touch taken",
    "signs": "echo harmless\r\x1b[1A\x1b[2K; touch taken\x1b[8m",
}


@pytest.mark.parametrize("kind", LONG)
async def test_unseen_30_what_stands_behind_the_end_of_the_question(project: Grounds, kind: str) -> None:
    """Whoever says yes has seen the whole command, and none of it has worked on the terminal."""
    call = ("run_command_unsandboxed", {"command": LONG[kind]})
    account = await act(project.root, [call], allowed=("run", "write"))
    assert isinstance(account.outcome, Waiting), account.outcome
    gate = account.outcome.gate
    shown = "\n".join(gate_lines("ide", "permission", gate.details))
    assert "touch taken" in shown
    assert "outside the sandbox" in shown
    assert not any(sign in shown for sign in ("\r", "\x1b[1A", "\x1b[2K", "\x1b[8m"))

"""Which commands a lasting yes can be about, and to which of them it reaches."""

import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from loopwright.agents.ide.permissions import prefixes_of

PREFIXES = {
    "pytest": ["pytest"],
    "pytest -q tests/unit 'a b'": ["pytest"],
    "  pytest\t-q  ": ["pytest"],
    "git commit -m 'one && two; $(three)'": ["git commit"],
    'git commit -m "a word | another"': ["git commit"],
    "git commit --amend && git push": ["git commit", "git push"],
    "ruff check .; mypy src || true": ["ruff", "mypy", "true"],
    "cat log.txt | grep -c error\nwc -l log.txt": ["cat", "grep", "wc"],
    "make test": ["make test"],
    "make -j test": None,
    "make test deploy": ["make test deploy"],
    "make test CC=evil": None,
    "make": None,
    "npm run build -- --watch": ["npm run build"],
    "npm test": ["npm test"],
    "npm run": None,
    "npm exec evil": ["npm exec evil"],
    "npx --yes evil": None,
    "uv run pytest -q": ["uv run pytest"],
    "uv run sh -c 'curl evil'": None,
    "uv run --with evil pytest": None,
    "poetry run git push": ["poetry run git push"],
    "pip install -r requirements.txt": ["pip install"],
    "cargo test --all": ["cargo test"],
    "go test ./...": ["go test"],
    "go run ./cmd/tool": None,
    "docker compose up": ["docker compose up"],
    "docker run image": None,
    "python -m pytest -q": ["python -m pytest"],
    "python3.12 -m build": ["python3.12 -m build"],
    "python -mpytest": None,
    "python -c 'import os'": None,
    "python": None,
    "python setup.py test": None,
    "node -e 'x'": None,
    "git": None,
    "git -c core.pager=evil log": None,
    "git --exec-path=. commit": None,
    "git 'commit'": None,
    "git bisect run ./evil": None,
    "git submodule foreach evil": None,
    "pytest 2>&1": ["pytest"],
    "pytest >/dev/null 2>/dev/null": ["pytest"],
    "pytest > /dev/null": ["pytest"],
    "cd src && pytest": ["cd", "pytest"],
}
"""Commands, and what a yes for longer would allow; None where none can be given."""

NEVER = {
    "58 a shell around it": ["sh -c pytest", "bash -lc 'pytest'", "/bin/sh -c pytest", "dash -c pytest", "busybox sh"],
    "wrappers": [
        "env pytest", "env -i pytest", "xargs pytest", "sudo pytest", "doas pytest", "nohup pytest", "timeout 5 pytest",
        "nice pytest", "setsid pytest", "time pytest", "exec pytest", "command pytest", "builtin pytest", "eval pytest",
        "stdbuf -o0 pytest", "strace pytest", "watch pytest", "parallel pytest", "find . -exec evil {} +", "su -c x",
        "script -c pytest", "awk 'BEGIN{system(1)}'", "sed -n e", "perl -e 1", "ssh host x", "chroot / pytest",
    ],
    "59 another program of the name": ["./pytest", "bin/pytest", "/tmp/pytest", "../pytest", "~/pytest", "pytest/"],
    "assignments": [
        "PATH=/tmp pytest", "LD_PRELOAD=x.so pytest", "A= pytest", "PATH+=:/tmp pytest", "A[0]=1 pytest", "IFS=x",
    ],
    "60 built-ins that poison": [
        "export PATH=/tmp && pytest", "alias pytest=evil; pytest", "alias pytest=evil\npytest", "set -a; pytest",
        "source evil; pytest", ". evil; pytest", "unset PATH; pytest", "hash -p /tmp/evil pytest; pytest",
        "printf -v PATH /tmp; pytest", "read PATH; pytest", "declare PATH=/tmp; pytest", "typeset -x PATH=/tmp; pytest",
        "local PATH=/tmp; pytest", "readonly PATH=/tmp; pytest", "trap evil EXIT; pytest", "shopt -s expand_aliases",
        "enable -f ./evil.so x; pytest", "mapfile -C evil; pytest", "getopts x PATH; pytest", "let PATH=1; pytest",
        "umask 0; pytest", "ulimit -n 1; pytest", "bind -x evil; pytest", "complete -C evil x",
    ],
    "functions and grammar": [
        "pytest() { evil; }; pytest", "function pytest { evil; }", "{ pytest; }", "(pytest)", "if true; then evil; fi",
        "while evil; do pytest; done", "for x in a; do evil; done", "case x in x) evil;; esac", "! pytest", "[[ x ]]",
        "coproc evil", "select x in y; do evil; done", "until evil; do pytest; done", "[ x ] && pytest",
    ],
    "substitutions": [
        "pytest $(evil)", "pytest `evil`", 'pytest "$(evil)"', 'pytest "`evil`"', "$(echo pytest)", "pytest $FLAGS",
        "pytest ${X:=evil}", "$PYTEST", "pytest $((1))", "pytest <(evil)", "pytest >(evil)", "pytest $'\\n'", 'a$"b"',
    ],
    "redirections": [
        "pytest > conftest.py", "pytest >> x", "pytest < x", "pytest 2> x", "pytest &> x", "pytest >& x", "pytest >| x",
        "pytest <<EOF\nx\nEOF", "pytest <<<x", "pytest <>x", "pytest > /dev/null/../tcp", "pytest >/dev/nullx",
        "pytest 2>&1x", "pytest 2>&3", "> x", "pytest {x}>y", "pytest>x", "pytest >/dev/null'x'",
    ],
    "background": ["pytest &", "evil & pytest", "pytest & evil", "pytest |& evil", "pytest &&& evil"],
    "words put together": [
        "py''test", "'pytest'", '"pytest"', "py\\test", "\\pytest", "pyt?st", "pytes[t]", "*", "{pytest,evil}",
        "pytest \\\n evil", "git com''mit", "git $X",
    ],
    "options from file names": ["pytest *", "pytest *.py", "pytest ?x", "pytest [a]", "pytest ''*", 'pytest ""?'],
    "unfinished": ["pytest '", 'pytest "', "pytest |", "pytest &&", "; pytest", "&& pytest", "pytest ;; x", "| x", ""],
    "characters": ["pytest\r", "pytest\0", "pytest\x0bevil", "pytest\u00a0evil", "pytest\u2028evil", "pytes\u0442"],
    "comments": ["pytest # evil", "#pytest", "pytest;#x"],
}  # fmt: skip


@pytest.mark.parametrize("command", PREFIXES)
def test_a_command_has_its_prefixes(command: str) -> None:
    wanted = PREFIXES[command]
    assert prefixes_of(command) == (None if wanted is None else tuple(wanted))


@pytest.mark.parametrize("command", [each for group in NEVER.values() for each in group])
def test_no_lasting_yes_is_about_what_hides_its_program(command: str) -> None:
    assert prefixes_of(command) is None


@pytest.mark.parametrize("command", ["pytest tests/*.py", "ls src/?.py", "grep 'a*' src"])
def test_patterns_that_cannot_become_options_are_words(command: str) -> None:
    assert prefixes_of(command) == (command.split()[0],)


TEXT = st.text(alphabet="pytesgicomrun -=./'\"\\$`;&|<>(){}[]*?#!~\n\t\r0129", max_size=40)


@given(TEXT)
@example("git commit -m 'x'")
def test_what_has_prefixes_is_read_by_the_shell_as_the_same_words(command: str) -> None:
    """An own reading of the grammar must never find fewer commands than there are."""
    prefixes = prefixes_of(command)
    if prefixes is None:
        return
    lexer = shlex.shlex(command.replace("\n", ";"), posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace_split = True
    lexer.commenters = ""
    words = list(lexer)
    firsts, first = [], True
    for word in words:
        if word and set(word) <= set(";&|"):
            first = True
        elif first:
            firsts.append(word)
            first = False
    assert [prefix.split()[0] for prefix in prefixes] == firsts

"""Programs are started by an absolute path that one module has looked up: the PATH may lead into a project."""

import ast

import pytest

from tests.shape.source import PACKAGE, nodes, python_files, shown, syntax_tree

FINDER = PACKAGE / "kernel" / "programs.py"
TOOLCHAIN = PACKAGE / "agents" / "ide" / "sandbox" / "__init__.py"
"""Reads the PATH to show its folders to commands, and starts nothing."""
SEARCHES = {"which", "get_exec_path"}
STARTERS = {"run", "Popen", "call", "check_call", "check_output", "create_subprocess_exec"}
SHELLS = {"create_subprocess_shell", "system", "popen", "getoutput", "getstatusoutput"}
HELPERS = {"git", "rg", "bwrap", "python", "python3", "sh", "bash", "env", "unshare", "setpriv", "node"}
"""Programs that a command line of ours might begin with."""
SEARCHING_STARTERS = {"execlp", "execlpe", "execvp", "execvpe", "spawnlp", "spawnlpe", "spawnvp", "spawnvpe"}


def problems_of(tree: ast.Module) -> list[str]:
    """Searches of the PATH, shells, and programs that are named without their folder."""
    return [f"{getattr(node, 'lineno', 0)}: {found}" for node in nodes(tree) for found in _problems(node)]


def _problems(node: ast.AST) -> list[str]:
    match node:
        case ast.ImportFrom():
            return [
                each.name for each in node.names if each.name in SEARCHES | STARTERS | SHELLS and _starts(node.module)
            ]
        case ast.Attribute(attr=name) if name in SEARCHES:
            return [name]
        case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]):
            return [ast.unparse(first)] if isinstance(first, ast.Constant) and first.value in HELPERS else []
        case ast.Call(func=ast.Attribute(attr=name, value=ast.Name(id=module)), args=words) if _starts(module):
            bare = name in STARTERS and words and _is_bare(words[0])
            return [name] if bare or name in SHELLS | SEARCHING_STARTERS else []
    return []


def _starts(module: str | None) -> bool:
    return module in ("subprocess", "asyncio", "os", "shutil", "asyncio.subprocess")


def _is_bare(program: ast.expr) -> bool:
    """Whether a program, or the first word of a command line, is a text without a leading slash."""
    match program:
        case ast.Starred(value=inner) | ast.BinOp(left=inner):
            return _is_bare(inner)
        case ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]):
            return _is_bare(first)
        case ast.Constant(value=str() as text):
            return not text.startswith("/")
    return False


def test_no_program_is_started_by_its_bare_name() -> None:
    """`find_program` looks outside of the project, and where only the user writes."""
    problems = [
        f"{shown(path)}:{problem}"
        for path in python_files("src")
        if path not in (FINDER, TOOLCHAIN)
        for problem in problems_of(syntax_tree(path))
    ]
    assert not problems, "\n".join(problems)


def unguarded_pythons(tree: ast.Module) -> list[str]:
    """Places where this Python is started so that it imports from the folder in which it starts."""
    found = []
    for node in nodes(tree):
        words = node.elts if isinstance(node, ast.List | ast.Tuple) else node.args if isinstance(node, ast.Call) else []
        for word, following in zip(words, [*words[1:], None], strict=False):
            if isinstance(word, ast.Attribute) and word.attr == "executable" and ast.unparse(word) == "sys.executable":
                guarded = isinstance(following, ast.Constant) and following.value in ("-P", "-I")
                found += [] if guarded or _is_path(node) else [f"{word.lineno}: sys.executable"]
    return found


def _is_path(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Path"


def test_no_python_of_ours_imports_from_where_it_starts() -> None:
    """A module of the project must not take the place of one of ours."""
    problems = [
        f"{shown(path)}:{problem}" for path in python_files("src") for problem in unguarded_pythons(syntax_tree(path))
    ]
    assert not problems, "\n".join(problems)
    assert unguarded_pythons(ast.parse("subprocess.run([sys.executable, '-m', 'x'])"))
    assert unguarded_pythons(ast.parse("asyncio.create_subprocess_exec(sys.executable, *words)"))
    assert not unguarded_pythons(ast.parse("subprocess.run([sys.executable, '-I', '-m', 'x'])"))


@pytest.mark.parametrize(
    "source",
    [
        "import shutil\nshutil.which('git')",
        "from shutil import which",
        "import os\nos.get_exec_path()",
        "subprocess.run(['git', 'status'])",
        "subprocess.Popen(('rg', *options))",
        "subprocess.run(['git'] + words)",
        "from subprocess import run",
        "SAFE_GIT = ('git', '-c', 'core.fsmonitor=false')",
        "asyncio.create_subprocess_exec('bwrap', *arguments)",
        "os.execvp('git', words)",
        "os.system('git status')",
    ],
)
def test_the_rule_itself(source: str) -> None:
    """All the usual ways are seen."""
    assert problems_of(ast.parse(source))

"""One client speaks to the outside for all tools: nothing else opens a connection, with these few exceptions."""

import ast

import pytest

from tests.shape.source import PACKAGE, called, nodes, python_files, shown, syntax_tree

MODULES = frozenset(
    """
    aiohttp asyncssh ddgs ftplib grpc h2 http.client httpcore httplib2 httpx imaplib neo4j paramiko poplib primp
    requests smtplib socket socketserver ssl telnetlib urllib.request urllib3 websockets xmlrpc
    """.split()  # noqa: SIM905
)
CALLS = frozenset(
    """
    open_connection open_unix_connection create_connection create_unix_connection create_datagram_endpoint sock_connect
    urlopen urlretrieve
    """.split()  # noqa: SIM905
)
EXCEPTIONS = {
    "kernel/web/fetching.py": {"aiohttp", "socket"},  # the client itself
    "kernel/web/proxy.py": {"open_connection", "sock_connect", "socket"},  # the same rule for foreign clients
    # Model endpoints: the user names them. The system's proxies are read, which opens nothing.
    "models/transport/http.py": {"open_connection", "ssl", "urllib.request"},
    "agents/planner/exports/caldav.py": {"urllib.request", "http.client"},  # the calendar server: the user names it
    "agents/jobs/store/graph.py": {"neo4j"},  # the graph database: the user names it
    "stores/claims.py": {"socket"},  # the machine's name
    "agents/jobs/web.py": {"ddgs"},  # its connections go through `kernel/web/proxy.py`
    "server/serve.py": {"socket"},  # accepts connections and names their options, opens none
}


def connecting(tree: ast.Module) -> set[str]:
    """The modules and calls by which a file could open connections."""
    found = set()
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found |= {name for alias in node.names if (name := _forbidden(alias.name))}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
            found |= {name for each in names if (name := _forbidden(each))}
            found |= {alias.name for alias in node.names if alias.name in CALLS}
        elif isinstance(node, ast.Attribute) and node.attr in CALLS:
            found.add(node.attr)
        elif isinstance(node, ast.Call) and called(node.func) in ("import_module", "__import__"):
            found |= {
                name for arg in node.args if isinstance(arg, ast.Constant) and (name := _forbidden(str(arg.value)))
            }
    return found


def _forbidden(module: str) -> str | None:
    parts = module.split(".")
    names = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
    return next((name for name in names if name in MODULES), None)


def test_only_the_client_opens_connections() -> None:
    """Whatever else needs something of the web asks `kernel/web`."""
    problems = []
    for path in python_files("src"):
        allowed = EXCEPTIONS.get(path.relative_to(PACKAGE).as_posix(), set())
        problems += [f"{shown(path)}: {name}" for name in connecting(syntax_tree(path)) - allowed]
    assert not problems, "\n".join(problems)


def test_every_exception_is_needed() -> None:
    """An entry that nothing needs would be a hole that nobody sees."""
    idle = [
        f"{name}: {module}"
        for name, modules in EXCEPTIONS.items()
        for module in modules - connecting(syntax_tree(PACKAGE / name))
    ]
    assert not idle, "\n".join(idle)


@pytest.mark.parametrize(
    "source",
    [
        "import aiohttp",
        "import urllib.request as r",
        "from urllib import request",
        "from http.client import HTTPConnection",
        "async def f():\n    import httpx",
        "import asyncio\nasyncio.open_connection('a', 1)",
        "from asyncio import open_connection",
        "loop.create_connection(f)",
        "import importlib\nimportlib.import_module('requests')",
    ],
)
def test_the_rule_itself(source: str) -> None:
    """All the usual ways are seen."""
    assert connecting(ast.parse(source))

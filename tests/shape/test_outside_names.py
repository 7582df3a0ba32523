"""The repository names no package index and no path of the machine it was written on."""

import re

import pytest

from tests.shape.source import repository_files, shown

# Put together here, so that this file does not find itself.
HOSTS = [
    ".".join(parts)
    for parts in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("deb", "debian", "org"),
        ("crates", "io"),
        ("proxy", "golang", "org"),
    )
]
HOST = re.compile("|".join(re.escape(host) for host in HOSTS))
MACHINE_PATH = re.compile(r"(?<![\w.~])/(work|root|farm)/")


def outside_names(text: str) -> list[str]:
    """The hosts and machine paths that the text names."""
    return [match.group() for pattern in (HOST, MACHINE_PATH) for match in pattern.finditer(text)]


def test_no_outside_name() -> None:
    """Every file that is text is looked at, the lock first of all; the `.git` of a linked work tree is none of it."""
    problems = [
        f"{shown(path)}: {name}"
        for path in repository_files()
        if path.name != ".git" and path.suffix not in {".png", ".jpg", ".webp", ".gif", ".db", ".gz", ".bz2"}
        for name in outside_names(path.read_text(encoding="utf-8"))
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("text", [f"see https://{HOSTS[0]}/project", "open('/" + "root/notes')", "cd /" + "work/main"])
def test_the_rule_itself(text: str) -> None:
    """Hosts and machine paths are found; ordinary paths are not."""
    assert outside_names(text)
    assert not outside_names("src/work/root/x ../work/ /etc/passwd framework/")

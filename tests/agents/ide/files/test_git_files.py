"""A hostile repository starts nothing and leads nowhere, whatever its own files say."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.agents.ide.index.codebase_index import search_text
from loopwright.agents.ide.project_files import ProjectFiles, git_paths, unignored_paths

PROGRAM_KEYS = (
    "alias.ls-files", "alias.status", "browser.x.cmd", "browser.x.path", "core.alternateRefsCommand", "core.askPass",
    "core.editor", "core.fsmonitor", "core.gitProxy", "core.pager", "core.sshCommand", "credential.helper",
    "credential.https://example.com.helper", "diff.external", "diff.x.command", "diff.x.textconv", "difftool.x.cmd",
    "difftool.x.path", "filter.x.clean", "filter.x.process", "filter.x.smudge", "gpg.program", "gpg.openpgp.program",
    "gpg.ssh.defaultKeyCommand", "gpg.ssh.program", "gpg.x509.program", "guitool.x.cmd", "help.browser",
    "hook.x.command", "imap.tunnel", "instaweb.browser", "instaweb.httpd", "interactive.diffFilter", "man.x.cmd",
    "man.x.path", "merge.x.driver", "mergetool.x.cmd", "mergetool.x.path", "pager.ls-files", "pager.status",
    "receive.procReceiveRefs", "remote.origin.receivepack", "remote.origin.uploadpack", "remote.origin.vcs",
    "sendemail.ccCmd", "sendemail.headerCmd", "sendemail.sendmailCmd", "sendemail.smtpServer", "sendemail.toCmd",
    "sequence.editor", "submodule.x.update", "tar.x.command", "trailer.x.cmd", "trailer.x.command",
    "uploadpack.packObjectsHook", "web.browser",
)  # fmt: skip
"""The keys for which git's documentation says that they name a program or a command."""
HOOKS = ("applypatch-msg", "fsmonitor-watchman", "post-checkout", "post-index-change", "pre-commit", "query-watchman")


def git(root: Path, *words: str) -> None:
    """The user's own git, with their configuration."""
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    subprocess.run(["git", *words], cwd=root, env=os.environ | names, check=True, capture_output=True)


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """What is there once a program of the repository has run."""
    return tmp_path / "canary"


@pytest.fixture
def program(tmp_path: Path, canary: Path) -> Path:
    """A program that tells that it ran."""
    place = tmp_path / "evil"
    place.write_text(f"#!/bin/sh\necho ran >> {canary}\ncat\n")
    place.chmod(0o755)
    return place


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a tracked, an untracked and an ignored file."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.log\n")
    (root / "src" / "main.py").write_text("needle = 1\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    (root / "new.py").write_text("needle = 2\n")
    (root / "noise.log").write_text("needle = 3\n")
    return root


LISTED = [".gitignore", "new.py", "src/main.py"]


def configure(config: Path, program: Path) -> None:
    """Name the program under every key that there is."""
    for key in PROGRAM_KEYS:
        value = f"!{program}" if key.startswith(("alias.", "submodule.")) else str(program)
        subprocess.run(["git", "config", "--file", config, "--add", key, value], check=True)


def look(root: Path) -> list[str]:
    """Everything for which we ask git or ripgrep."""
    files = ProjectFiles(root)
    search_text(files, "needle", regex=False, glob="", limit=10, case=True)
    unignored_paths(root, ())
    return list(files.walk())


def test_no_key_of_the_configuration_starts_a_program(root: Path, program: Path, canary: Path) -> None:
    configure(root / ".git" / "config", program)
    (root / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    for name in HOOKS:
        (root / ".git" / "hooks" / name).write_text(program.read_text())
        (root / ".git" / "hooks" / name).chmod(0o755)
    os.utime(root / "src" / "main.py", (1, 1))
    assert look(root) == [".gitattributes", *LISTED]
    assert not canary.exists()
    subprocess.run(["git", "status"], cwd=root, capture_output=True)
    assert canary.exists(), "the user's own git would have run it"


@pytest.mark.parametrize("place", ["config.worktree", "included", "../../included"])
def test_no_configuration_that_is_included_does(place: str, root: Path, program: Path, canary: Path) -> None:
    configure((root / ".git" / place).resolve(), program)
    git(root, "config", "include.path", place)
    git(root, "config", "includeIf.gitdir:/.path", place)
    git(root, "config", "extensions.worktreeConfig", "true")
    assert look(root) == LISTED
    assert not canary.exists()


def elsewhere(root: Path) -> Path:
    """A folder outside with a file in it."""
    other = root.parent / "elsewhere"
    other.mkdir()
    (other / "outside.py").write_text("needle = 4\n")
    git(other, "init", "-q")
    git(other, "add", ".")
    return other


def lead_by_work_tree(root: Path) -> None:
    git(root, "config", "core.worktree", str(elsewhere(root)))


def lead_by_bare(root: Path) -> None:
    git(root, "config", "core.bare", "true")


def lead_by_attributes(root: Path) -> None:
    git(root, "config", "attr.tree", "HEAD")
    git(root, "config", "core.attributesFile", str(elsewhere(root) / "outside.py"))


def lead_by_excludes(root: Path) -> None:
    (root / ".git" / "all").write_text("*\n")
    git(root, "config", "core.excludesFile", ".git/all")


def lead_by_alternates(root: Path) -> None:
    (root / ".git" / "objects" / "info" / "alternates").write_text(str(elsewhere(root) / ".git" / "objects"))


def lead_by_promisor(root: Path) -> None:
    git(root, "config", "remote.origin.url", f"ext::{root.parent / 'evil'}")
    git(root, "config", "remote.origin.promisor", "true")
    git(root, "config", "protocol.ext.allow", "always")
    git(root, "config", "extensions.partialClone", "origin")


@pytest.mark.parametrize(
    "lead",
    [lead_by_work_tree, lead_by_bare, lead_by_attributes, lead_by_excludes, lead_by_alternates, lead_by_promisor],
)
def test_no_setting_leads_elsewhere(lead: Callable[[Path], None], root: Path, program: Path, canary: Path) -> None:
    lead(root)
    assert look(root) == LISTED
    assert not canary.exists()


def test_a_bare_repository_among_the_files_is_files(root: Path, program: Path, canary: Path) -> None:
    bare = root / "fixtures" / "bare"
    bare.mkdir(parents=True)
    git(bare, "init", "-q", "--bare")
    configure(bare / "config", program)
    assert "fixtures/bare/config" in look(root)
    assert "config" in look(bare)
    assert not canary.exists()


def test_a_repository_inside_starts_nothing(root: Path, program: Path, canary: Path) -> None:
    for folder in ("vendor", "src/deep/er"):
        nested = root / folder
        nested.mkdir(parents=True)
        git(nested, "init", "-q")
        (nested / "inner.py").write_text("needle\n")
        git(nested, "add", ".")
        configure(nested / ".git" / "config", program)
    assert look(root) == LISTED
    (root / ".git").rename(root.parent / "gone")
    assert {"vendor/inner.py", "src/deep/er/inner.py"} <= set(look(root))
    assert not canary.exists()


@pytest.mark.parametrize("by", ["link", "file", "long way"])
def test_a_git_folder_elsewhere_is_asked_for_names_alone(by: str, root: Path, program: Path, canary: Path) -> None:
    """As in a linked worktree: the user's own git would take its configuration from there."""
    other = root.parent / "elsewhere.git"
    (root / ".git").rename(other)
    configure(other / "config", program)
    if by == "link":
        (root / ".git").symlink_to(other)
    else:
        (root / ".git").write_text(f"gitdir: {other if by == 'file' else '../elsewhere.git'}\n")
    assert look(root) == LISTED
    assert not canary.exists()


@pytest.mark.parametrize("told", ["gitdir: /dev", "gitdir: ../nowhere", "nonsense", "gitdir: " + "x" * 70_000, ""])
def test_a_git_file_that_makes_no_sense_leaves_the_files_that_are_not_ignored(told: str, root: Path) -> None:
    (root / ".git").rename(root.parent / "gone")
    (root / ".git").write_text(told)
    assert look(root) == LISTED


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "garbage", "link"])
def test_an_index_that_is_no_file_leaves_them_too(kind: str, root: Path) -> None:
    index = root / ".git" / "index"
    index.unlink()
    match kind:
        case "pipe":
            os.mkfifo(index)
        case "device" | "link":
            index.symlink_to("/dev/zero" if kind == "device" else "/etc/passwd")
        case "folder":
            index.mkdir()
        case "garbage":
            index.write_bytes(b"DIRC" + os.urandom(500))
    assert look(root) == LISTED


def test_a_linked_work_tree_is_listed_as_it_is(root: Path) -> None:
    git(root, "worktree", "add", "-q", str(root.parent / "second"))
    (root / ".git" / "info" / "exclude").write_text("private.txt\n")
    (root.parent / "second" / "private.txt").write_text("x")
    assert look(root.parent / "second") == [".gitignore", "src/main.py"]


@pytest.mark.parametrize("form", ["sha256", "split", "untracked-cache"])
def test_other_forms_of_an_index_are_read(form: str, tmp_path: Path) -> None:
    root = tmp_path / "other"
    root.mkdir()
    git(root, "init", "-q", *(["--object-format=sha256"] if form == "sha256" else []))
    (root / ".gitignore").write_text("*.log\n")
    (root / "tracked.log").write_text("needle")
    git(root, "add", "-f", ".")
    if form == "split":
        git(root, "update-index", "--split-index")
    if form == "untracked-cache":
        git(root, "update-index", "--untracked-cache")
        git(root, "status")
    (root / "new.py").write_text("needle")
    assert git_paths(root) == [".gitignore", "new.py", "tracked.log"]


def test_git_of_the_project_is_not_started(
    root: Path, program: Path, canary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = root / "node_modules" / ".bin"
    folder.mkdir(parents=True)
    for name in ("git", "rg", "bwrap"):
        (folder / name).write_text(program.read_text())
        (folder / name).chmod(0o755)
    (root / ".git" / "info" / "exclude").write_text("node_modules\n")
    monkeypatch.setenv("PATH", f"{folder}:./node_modules/.bin:{os.environ['PATH']}")
    monkeypatch.setattr("sys.executable", str(folder / "python"))  # as in a virtual environment of the project
    assert look(root) == LISTED
    assert not canary.exists()


def test_nothing_is_written_into_the_repository(root: Path) -> None:
    def everything() -> dict[Path, tuple[bytes, int]]:
        return {each: (each.read_bytes(), each.stat().st_mtime_ns) for each in root.rglob("*") if each.is_file()}

    os.utime(root / "src" / "main.py", (1, 1))
    before = everything()
    look(root)
    assert everything() == before

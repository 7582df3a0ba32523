"""Attempts 22-27 found in the reports of other sandboxes: secrets, in the project and beside the user's programs."""

import os
from pathlib import Path

import pytest

from loopwright.kernel.gates import Finished
from loopwright.kernel.testing import Reply
from tests.agents.ide.acting import ENDING, act
from tests.agents.ide.boundary.grounds import SECRET, Grounds
from tests.agents.ide.boundary.test_links import refuse
from tests.agents.ide.commanding import confined

pytestmark = confined


async def are_hidden(grounds: Grounds, *names: str) -> None:
    """None of the files is read by a command; the control is a file beside them, which is."""
    grounds.write({**dict.fromkeys(names, SECRET), "plain.txt": "in plain sight"})
    found = await grounds.prints("find . -type f -not -path './.git/*'; cat plain.txt")
    left = [name for name in names if f"./{name}\n" in found]
    assert not left, left
    assert "in plain sight" in found
    await grounds.run("find . -type f -exec cat {} +")


COPIES = (
    ".env~", ".env-production", ".env_local", "#.env#", ".env.swp", "prod.env.bak", "id_rsa.bak", "a/id_ed25519~",
    "server.pem.old", "credentials.json.orig", "secrets.yml~", ".npmrc.bak", ".netrc.save", "key.p12.1", ".env copy",
)  # fmt: skip
OTHERS = (
    ".config/gh/hosts.yml", ".config/gcloud/application_default_credentials.json", ".my.cnf", "kubeconfig",
    ".codex/auth.json", ".terraformrc", "x/credentials.tfrc.json", ".databrickscfg", ".sentryclirc", "rclone.conf",
    "token.json", "service_principal_entries.json", ".mylogin.cnf", "wallet.dat",
)  # fmt: skip


async def test_unseen_22_copies_of_secrets(grounds: Grounds) -> None:
    await are_hidden(grounds, *COPIES)


async def test_unseen_23_credentials_of_further_tools(grounds: Grounds) -> None:
    await are_hidden(grounds, *OTHERS)


async def test_unseen_24_searching_for_what_may_not_be_read(project: Grounds) -> None:
    (project.root / "linked.txt").symlink_to(".env")
    (project.root / ".gitignore").write_text("!.env\n")
    (project.root / ".rgignore").write_text("!.env\n!.aws\n")
    searches: list[dict[str, object]] = [
        {"query": "4d07"},
        *(
            {"pattern": "4d07", "glob": glob}
            for glob in (".env", "**/.env", "!x", ".aws/**", "{.env,main.py}", "../**")
        ),
        {"pattern": "CANARY.*", "glob": "**/*"},
        {"pattern": "--pre=cat", "glob": "--pre=cat"},
        {"pattern": "4d07", "glob": ".git/**"},
    ]
    script: list[Reply] = [
        [("index_search_regex" if "glob" in each else "index_search_text", each)] for each in searches
    ]
    script += [[("index_search_semantic", {"query": "TOKEN CANARY secret"})]]
    script += [
        [("index_read_file", {"path": each})] for each in (".env", "linked.txt", "src/../.env", ".aws/credentials")
    ]
    script += [[("index_find_files", {"pattern": "*"})], [("index_list_files", {"folder": ".aws"})]]
    account = await act(project.root, *script, *ENDING)
    assert isinstance(account.outcome, Finished), account.outcome
    assert SECRET not in account.shown
    project.write({"plain.txt": "4d07 in plain sight"})
    found = await act(project.root, [("index_search_text", {"query": "4d07"})], *ENDING)
    assert "plain sight" in found.results()[0]["output"]


def moved(old: str, new: str, verb: str = "rename") -> tuple[str, dict[str, object]]:
    """A patch that renames or copies, with nothing else in it."""
    head = f"diff --git a/{old} b/{new}\nsimilarity index 100%\n"
    return ("apply_patch", {"diff": f"{head}{verb} from {old}\n{verb} to {new}\n"})


async def test_unseen_25_patches_that_copy_rename_and_delete(project: Grounds) -> None:
    gone = "diff --git a/{0} b/{0}\ndeleted file mode 100644\n--- a/{0}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    await refuse(
        project,
        moved(".env", "notes.txt"),
        moved(".env", "notes.txt", "copy"),
        moved(".aws/credentials", "notes.txt", "copy"),
        moved('"\\056env"', "notes.txt", "copy"),
        moved("../outside/canary.txt", "notes.txt", "copy"),
        moved(str(project.canary), "notes.txt", "copy"),
        moved("main.py", "../outside/main.py"),
        moved("main.py", ".git/hooks/pre-commit"),
        moved("main.py", ".git/hooks/pre-commit", "copy"),
        moved("main.py", ".vscode/tasks.json", "copy"),
        moved(".git/config", "config"),
        ("apply_patch", {"diff": gone.format(".git/config")}),
        ("apply_patch", {"diff": gone.format(".env")}),
    )


def home_of(grounds: Grounds, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], folder: str) -> Path:
    """A home with these files, and one of its folders on the PATH."""
    home = grounds.folder / "home"
    for name, text in files.items():
        place = home / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        place.chmod(0o755)
    (home / folder).mkdir(parents=True, exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", os.pathsep.join((str(home / folder), os.environ["PATH"])))
    return home


TOOL = "#!/bin/sh\necho the tool runs\n"


async def test_unseen_26_data_of_the_user_beside_their_programs(
    grounds: Grounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = ("share/keyrings/login.keyring", "share/app/session/cookies.db", "state/shell/history", "etc/app/token")
    files = {".local/bin/tool": TOOL, **{f".local/{name}": SECRET for name in data}}
    home = home_of(grounds, monkeypatch, files, ".local/bin")
    assert "the tool runs" in await grounds.prints("tool")
    await grounds.run(f"find {home} -type f -exec cat {{}} +")


async def test_unseen_27_program_that_is_a_link_into_another_project(
    grounds: Grounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = (
        "config/deep/er/.env",
        "config/deep/er/service-account.json",
        ".git/modules/x/credentials",
        "a/b/c/d/id_rsa",
    )
    files = {"work/app/bin/tool": TOOL, **{f"work/app/{name}": SECRET for name in names}}
    home = home_of(grounds, monkeypatch, files, "bin")
    (home / "bin" / "tool").symlink_to(home / "work" / "app" / "bin" / "tool")
    assert "the tool runs" in await grounds.prints("tool")
    await grounds.run(f"find {home} -type f -exec cat {{}} +")

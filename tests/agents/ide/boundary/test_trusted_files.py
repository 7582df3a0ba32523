"""Attacks 1-22: files that other programs run or trust later, when nobody looks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.agents.ide.index.codebase_index import search_text
from loopwright.agents.ide.project_files import ProjectFiles, git_paths, unignored_paths
from loopwright.agents.ide.sandbox import isolation as isolation_of
from loopwright.agents.ide.sandbox import toolchain
from loopwright.app.settings import Settings
from loopwright.kernel.gates import Finished, Waiting
from loopwright.kernel.programs import find_program
from loopwright.kernel.testing import Reply
from tests.agents.ide.acting import ENDING, act, project_at
from tests.agents.ide.boundary.grounds import SECRET, Grounds, tree
from tests.agents.ide.commanding import confined

pytestmark = confined
CONFIG_KEYS = {
    3: ("core.fsmonitor",),
    4: ("core.hooksPath", "diff.external", "diff.x.textconv", "core.sshCommand", "core.pager", "core.editor"),
    5: ("filter.x.clean", "filter.x.smudge", "filter.x.process", "credential.helper"),
}
EVIL = "#!/bin/sh\necho ran >> {ran}\ncat\n"


def look(root: Path) -> None:
    """Everything for which we start git or ripgrep in a project."""
    files = ProjectFiles(root)
    search_text(files, "value", regex=False, glob="", limit=10, case=True)
    git_paths(root)
    unignored_paths(root, ())
    list(files.walk())


def hostile_repository(grounds: Grounds, keys: tuple[str, ...]) -> Path:
    """Make the project a repository whose configuration names a program; answer what is there once that has run."""
    ran, program = grounds.folder / "ran", grounds.folder / "evil"
    program.write_text(EVIL.format(ran=ran))
    program.chmod(0o755)
    (grounds.root / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    for key in keys:
        subprocess.run(["git", "config", "--file", grounds.root / ".git/config", key, str(program)], check=True)
    return ran


async def set_keys(grounds: Grounds, number: int) -> None:
    """A command sets keys that name programs; and a repository that has them already starts none of them."""
    line = " && ".join(f"git config {key} '!touch {grounds.outside}/ran'" for key in CONFIG_KEYS[number])
    await grounds.is_held(line, ".git/config")
    ran = hostile_repository(grounds, CONFIG_KEYS[number])
    look(grounds.root)
    await grounds.run("true")
    assert not ran.exists()


async def test_attack_01_hook_in_git_hooks(grounds: Grounds) -> None:
    line = "for n in pre-commit post-checkout post-index-change; do printf '#!/bin/sh\\n' > .git/hooks/$n; done"
    await grounds.is_held(f"{line}; chmod +x .git/hooks/*", ".git/hooks/pre-commit", ".git/hooks/post-index-change")


async def test_attack_02_hook_in_a_nested_repository(grounds: Grounds) -> None:
    line = "git init -q vendor/lib && printf x > vendor/lib/.git/hooks/pre-commit && mkdir -p .git/modules/m/hooks"
    line += " && printf x > .git/modules/m/hooks/post-checkout"
    await grounds.is_held(line, "vendor/lib/.git/hooks/pre-commit", ".git/modules/m/hooks/post-checkout")


async def test_attack_03_fsmonitor(grounds: Grounds) -> None:
    await set_keys(grounds, 3)


async def test_attack_04_keys_that_name_programs(grounds: Grounds) -> None:
    await set_keys(grounds, 4)


async def test_attack_05_filters_and_credential_helpers(grounds: Grounds) -> None:
    await set_keys(grounds, 5)


async def test_attack_06_bare_repository_among_plain_files(grounds: Grounds) -> None:
    line = "mkdir -p data/x/hooks data/x/objects data/x/refs && echo 'ref: refs/heads/main' > data/x/HEAD"
    line += " && printf '[core]\\n\\tfsmonitor = touch ran\\n' > data/x/config && echo x > data/x/hooks/post-checkout"
    await grounds.is_held(line, "data/x/HEAD", "data/x/config", "data/x/hooks/post-checkout")


async def test_attack_07_attributes(grounds: Grounds) -> None:
    line = "git config attr.tree HEAD && mkdir -p .git/info && echo '* filter=x' | tee .git/info/attributes"
    await grounds.is_held(
        f"{line} > .gitattributes && cp .gitattributes src", ".gitattributes", "src/.gitattributes", ".git/config"
    )


@pytest.mark.parametrize("made", ["ln -s {out} .git", "echo gitdir: {out} > .git", "git init -q --bare x && mv x .git"])
async def test_attack_08_git_folder_that_leads_elsewhere(grounds: Grounds, made: str) -> None:
    out = grounds.outside
    line = f"mv .git moved && {made.format(out=out)}; git worktree add ../w 2>/dev/null; true"
    report = await grounds.is_held(line, ".git/config", ".git/HEAD")
    assert any(path.startswith("moved/") for path in report.landing.protected)


async def test_attack_09_interpreter_of_the_environment(grounds: Grounds) -> None:
    grounds.write({".venv/pyvenv.cfg": "home = /usr/bin\n"})
    (grounds.root / ".venv" / "bin").mkdir()
    (grounds.root / ".venv" / "bin" / "python").symlink_to("/usr/bin/python3")
    line = "ln -sf /etc/hostname .venv/bin/python && printf '#!/bin/sh\\n' > .venv/bin/pip && chmod +x .venv/bin/pip"
    await grounds.is_held(line, ".venv/bin/python", ".venv/bin/pip")
    (grounds.root / ".venv" / "bin" / "python").unlink()
    (grounds.root / ".venv" / "bin" / "python").symlink_to(grounds.canary)
    assert not any(grounds.outside.is_relative_to(folder) for folder in toolchain(grounds.root).folders)
    await grounds.run(f"cat .venv/bin/python {grounds.canary}; ls {grounds.outside}; cat /etc/hostname /etc/shadow")


async def test_attack_10_environment_made_for_later(grounds: Grounds) -> None:
    line = "python3 -m venv --without-pip env && printf x > env/bin/activate"
    await grounds.is_held(line, "env/pyvenv.cfg", "env/bin/activate")


async def test_attack_11_redirected_environment(grounds: Grounds) -> None:
    grounds.write({"env/pyvenv.cfg": "home = /usr/bin\n", "env/lib/x.py": "x = 1\n"})
    line = "sed -i s,/usr/bin,/tmp/evil, env/pyvenv.cfg && echo import os > env/lib/x.pth && echo y > env/lib/x.py"
    await grounds.is_held(line, "env/pyvenv.cfg", "env/lib/x.pth", "env/lib/x.py")


@pytest.mark.parametrize("module", ["json", "asyncio", "typer", "loopwright", "sitecustomize", "usercustomize", "site"])
def test_attack_12_module_shadowing(project: Grounds, module: str) -> None:
    """The program that users start, with the project as its folder, as they do."""
    ran = project.folder / "ran"
    project.write({f"{module}.py": f"open({str(ran)!r}, 'w')\n"})
    program = project.folder / "loopwright"
    program.write_text(f"#!{sys.executable}\nfrom loopwright.cli.main import main\nmain()\n")
    program.chmod(0o755)
    environment = os.environ | {"LOOPWRIGHT_HOME": str(project.folder / "home")}
    done = subprocess.run([program, "runs", "list"], cwd=project.root, env=environment, capture_output=True, timeout=90)
    assert done.returncode == 0, done.stderr
    assert not ran.exists()


PROGRAMS = ("git", "rg", "bwrap", "unshare", "mount", "sh", "cp", "env", "python3", "true")


def put_programs(folder: Path, ran: Path) -> None:
    """Programs of the usual names that tell that they ran."""
    folder.mkdir(parents=True)
    for name in PROGRAMS:
        (folder / name).write_text(EVIL.format(ran=ran))
        (folder / name).chmod(0o755)


async def test_attack_13_helpers_from_a_folder_that_can_be_written(
    grounds: Grounds, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = grounds.folder / "ran"
    put_programs(grounds.root / "node_modules" / ".bin", ran)
    shared = grounds.folder / "shared"
    put_programs(shared, ran)
    shared.chmod(0o777)
    monkeypatch.setenv("PATH", os.pathsep.join((f"{grounds.root}/node_modules/.bin", str(shared), os.environ["PATH"])))
    for name in PROGRAMS:
        found = find_program(name, outside=grounds.root)
        assert found is None or not found.is_relative_to(grounds.folder)
    look(grounds.root)
    await grounds.run("true")
    assert not ran.exists()


@pytest.mark.parametrize("entry", [".", "", "./bin", "bin"])
async def test_attack_14_relative_folders_of_programs(
    grounds: Grounds, entry: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the process stands decides nothing, be it in the project or beside it."""
    ran = grounds.folder / "ran"
    put_programs(grounds.root / "bin", ran)
    put_programs(grounds.folder / "beside" / "bin", ran)
    monkeypatch.setenv("PATH", os.pathsep.join((entry, os.environ["PATH"])))
    for place in ("project/bin", "project", "beside/bin", "beside"):
        monkeypatch.chdir(grounds.folder / place)
        look(grounds.root)
        assert not any(folder.startswith(str(grounds.folder)) for folder in toolchain(grounds.root).path)
    await grounds.run("true")
    assert not ran.exists()


async def test_attack_15_bubblewrap_of_the_project(project: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    put_programs(project.root / "bin", project.folder / "ran")
    (project.folder / "link").symlink_to(project.root / "bin")
    monkeypatch.setenv("PATH", f"{project.root}/bin:{project.folder}/link")
    found = isolation_of(project.root, project_at(project.root).state_folder)
    assert found is not None
    assert not any(
        Path(each).is_relative_to(project.folder) for each in (found.bubblewrap, found.mount, *found.unshare)
    )
    await project.run("true")
    assert not (project.folder / "ran").exists()


def test_attack_16_interpreter_of_a_helper(project: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script of the user's, `git` by name, finds its interpreter on a PATH without the project's folders."""
    ran, started, own = project.folder / "ran", project.folder / "started", project.folder / "own"
    put_programs(project.root / "bin", ran)
    (project.root / "bin" / "shelly").write_text(EVIL.format(ran=ran))
    (project.root / "bin" / "shelly").chmod(0o755)
    own.mkdir(mode=0o755)
    (own / "git").write_text("#!/usr/bin/env shelly\n")
    (own / "rg").write_text(f"#!/usr/bin/env sh\ntouch {started}\nexit 1\n")
    for name in ("git", "rg"):
        (own / name).chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(project.root / "bin"), str(own), os.environ["PATH"])))
    look(project.root)
    subprocess.run([own / "git"], cwd=project.root, check=True, stdin=subprocess.DEVNULL)
    assert ran.exists(), "with the shell's own PATH it would have run"
    assert find_program("git", outside=project.root) == own / "git"


async def test_attack_17_settings_that_were_not_there(grounds: Grounds) -> None:
    paths = (".loopwright/permissions.json", ".loopwright/prompts/ide/base/system.md", ".config/loopwright/x.toml")
    line = " && ".join(f"mkdir -p $(dirname {path}) && echo '[\"run\"]' > {path}" for path in paths)
    await grounds.is_held(line, *paths)
    grounds.write(dict.fromkeys(paths, '{"run": "always"}'))
    account = await act(grounds.root, [("run_command", {"command": "true"})], allowed=[])
    assert isinstance(account.outcome, Waiting)


async def test_attack_18_protected_paths_that_are_not_there(grounds: Grounds) -> None:
    """No empty file stands in for what is not there, and what takes its place needs the permission."""
    before = tree(grounds.root)
    await grounds.run("ls -A > /dev/null")
    assert tree(grounds.root) == before
    paths = (".vscode/tasks.json", ".venv/bin/python", ".husky/pre-commit", ".gitmodules", ".envrc", "sub/.git")
    await grounds.is_held(" && ".join(f"mkdir -p $(dirname {path}) && echo x > {path}" for path in paths), *paths)


SPELLINGS = {
    ".GIT": "refused", ".Git": "refused", ".git.": "refused", ".git ": "refused", ".g\u200bit": "refused",
    ".\u200cGIT": "refused", ".vscode ": "refused", "git~1": "asked", "GIT~1": "asked", "\uff0egit": "asked",
    ".VSCODE": "asked",
}  # fmt: skip
"""Other spellings of protected names, and what becomes of a tool's call for a file there."""


@pytest.mark.parametrize("name", SPELLINGS)
async def test_attack_19_other_spellings(grounds: Grounds, name: str) -> None:
    await grounds.is_held(f"mkdir -p '{name}/hooks' && echo x > '{name}/hooks/pre-commit'", f"{name}/hooks/pre-commit")
    before = tree(grounds.root)
    script: list[Reply] = [[("write_file", {"path": f"{name}/config", "content": "taken"})]]
    account = await act(grounds.root, *script, *(ENDING if SPELLINGS[name] == "refused" else ()))
    assert isinstance(account.outcome, Finished if SPELLINGS[name] == "refused" else Waiting)
    assert not any(result["success"] for result in account.results())
    assert tree(grounds.root) == before


async def test_attack_20_env_file_of_the_project_as_settings(project: Grounds, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("LOOPWRIGHT_HOME", "MODEL_API_KEY", "MODEL_BASE_URL", "OPENAI_API_KEY", "DATABASE_URL", "LOOPWRIGHT_OUT")
    project.write({".env": "".join(f"{name}={project.outside}\n" for name in names)})
    monkeypatch.chdir(project.root)
    assert str(project.outside) not in repr(Settings())
    assert not any(str(project.outside) in value for value in os.environ.values())


async def test_attack_21_scripts_that_a_button_runs(grounds: Grounds) -> None:
    """Scripts of the project are the user's to run: nothing of ours runs them outside, and each change is told."""
    line = (
        'printf \'all:\\n\\ttouch ../ran\\n\' > Makefile; echo \'{"scripts": {"test": "touch ../ran"}}\' > package.json'
    )
    report = await grounds.run(f"{line}; echo x > conftest.py")
    assert sorted(report.paths) == ["Makefile", "conftest.py", "package.json"]
    assert {edit.path for edit in report.edits} == set(report.paths)
    look(grounds.root)
    await grounds.run("make; true")
    assert not (grounds.folder / "ran").exists()


EDITOR_FILES = (
    ".vscode/tasks.json", ".vscode/settings.json", ".idea/workspace.xml", ".mcp.json", "mcp.json", "x.code-workspace",
    ".bashrc", ".zshrc", ".profile", ".envrc", ".pre-commit-config.yaml", ".github/workflows/x.yml", ".claude/x.json",
    ".cursor/mcp.json", ".devcontainer/x.json", ".yarnrc.yml", ".npmrc", ".cargo/config.toml", "sub/.vscode/x",
    "lefthook.yml", ".husky/pre-push", ".eslintrc.js", "gradle/wrapper/gradle-wrapper.jar", ".mvn/jvm.config",
)  # fmt: skip


async def test_attack_22_files_of_editors_and_tools(grounds: Grounds) -> None:
    line = " && ".join(f"mkdir -p $(dirname {path}) && echo x > {path}" for path in EDITOR_FILES)
    report = await grounds.is_held(line, *EDITOR_FILES)
    assert SECRET not in str(report.landing.protected)

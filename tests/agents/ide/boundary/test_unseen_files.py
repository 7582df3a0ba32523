"""Attempts 16-21 found in the reports of other sandboxes: files that run later, under names that begin with no dot."""

import pytest

from tests.agents.ide.boundary.grounds import Grounds
from tests.agents.ide.commanding import confined

pytestmark = confined


async def are_held(grounds: Grounds, *paths: str) -> None:
    """A command that writes them waits; the control is a file beside them, which is written."""
    line = " && ".join(f"mkdir -p \"$(dirname '{path}')\" && echo x > '{path}'" for path in paths)
    await grounds.is_held(line, *paths)
    report = await grounds.run("echo x > plain.txt")
    assert list(report.paths) == ["plain.txt"]


INSTRUCTIONS = (
    "AGENTS.md", "CLAUDE.md", "GEMINI.md", "sub/AGENTS.md", "CLAUDE.local.md", "AGENTS.override.md", "agents.md",
    ".github/copilot-instructions.md", ".goosehints", "skills/x/SKILL.md",
)  # fmt: skip
MCP = (
    "opencode.json", "opencode.jsonc", "mcp_settings.json", "mcp-config.json", "sub/mcp_config.json", "crush.json",
    "cline_mcp_settings.json", "gemini-extension.json", "claude_desktop_config.json", "fastmcp.json",
)  # fmt: skip
CODE = (
    "eslint.config.js", "eslint.config.mjs", "eslint.config.ts", "prettier.config.cjs", "stylelint.config.js",
    "svelte.config.js", "sub/commitlint.config.js", "lint-staged.config.mjs", "tailwind.config.js",
)  # fmt: skip
TOOLCHAINS = ("rust-toolchain.toml", "rust-toolchain", "sub/rust-toolchain.toml", "mise.toml", "mise.local.toml")
LAUNCHERS = ("README.desktop", "desktop.ini", "AutoRun.inf", "Invoice.lnk", "docs/open.url", "x.terminal", "y.command")


async def test_unseen_16_instructions_for_the_next_agent(grounds: Grounds) -> None:
    await are_held(grounds, *INSTRUCTIONS)


async def test_unseen_17_servers_of_agents_under_other_names(grounds: Grounds) -> None:
    await are_held(grounds, *MCP)


async def test_unseen_18_configuration_that_is_code_and_that_editors_load(grounds: Grounds) -> None:
    await are_held(grounds, *CODE)


async def test_unseen_19_files_that_choose_the_compiler(grounds: Grounds) -> None:
    await are_held(grounds, *TOOLCHAINS)


async def test_unseen_20_launchers_for_the_desktop(grounds: Grounds) -> None:
    await are_held(grounds, *LAUNCHERS)


GIT = {
    "alternates": ("mkdir -p .git/objects/info; echo {out} > .git/objects/info/alternates",
                   ".git/objects/info/alternates"),
    "replaced": ("mkdir -p .git/refs/replace; echo x > .git/refs/replace/4d07", ".git/refs/replace/4d07"),
    "hidden": ("git update-index --add main.py && git update-index --skip-worktree main.py", ".git/index"),
    "grafts": ("mkdir -p .git/info; echo x > .git/info/grafts", ".git/info/grafts"),
    "shallow": ("echo x > .git/shallow", ".git/shallow"),
    "bare": ("git init -q --bare data/x; mkdir -p data/x/objects/info; echo {out} > data/x/objects/info/alternates",
             "data/x/objects/info/alternates"),
}  # fmt: skip
"""Other objects in place of the repository's, and changes that `git status` does not show."""


@pytest.mark.parametrize("kind", GIT)
async def test_unseen_21_other_objects_and_hidden_changes_of_a_repository(grounds: Grounds, kind: str) -> None:
    line, path = GIT[kind]
    await grounds.is_held(line.format(out=grounds.outside), path)

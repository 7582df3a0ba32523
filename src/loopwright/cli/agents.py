"""`loopwright agents`: which agents there are, and how each is controlled."""

import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

from loopwright.cli.running import JSON, SHOW_DEFAULTS, Group, guarded, has_terminal, print_json, run_in_application

if TYPE_CHECKING:
    from loopwright.app.loopwright import Loopwright


@click.group(cls=Group, context_settings=SHOW_DEFAULTS)
def app() -> None:
    """List and show agents."""


@app.command("list")
@JSON
def list_agents(as_json: bool) -> None:
    """List the agents."""

    def work() -> int:
        from loopwright.app.agents import BrokenPackage, all_packages

        for each in all_packages():
            if isinstance(each, BrokenPackage):
                told = {"name": each.name, "problem": f"{each.error.message} {each.error.hint}"}
            else:
                told = {"name": each.name, "title": each.title, "description": each.description}
                if each.missing():
                    told["problem"] = f"Install it: {each.install}"
            if as_json:
                print_json(told)
                continue
            name, problem = f"{told['name']:<12}", told.get("problem")
            said = f"{name} {told['title']}: {told['description']}" if "title" in told else f"{name} {problem}"
            click.echo(said if problem is None or "title" not in told else f"{said}\n{'':<12} {problem}")
        return 0

    sys.exit(guarded(work, as_json=as_json))


@app.command()
@click.argument("name", help="The agent's name.")
@JSON
def show(name: str, as_json: bool) -> None:
    """Show an agent's stages, tools and limits, and its controller as a Mermaid diagram."""

    def work() -> int:
        from loopwright.app.agents import agent

        spec = agent(name)
        diagram = spec.controller().mermaid(spec.entries or tuple(stage.name for stage in spec.stages[:1]))
        if as_json:
            stages = [{"name": s.name, "tools": sorted(s.policy.tools), "tier": s.tier} for s in spec.stages]
            tools = spec.registry().get_openai_tools()
            print_json({"name": name, "title": spec.title, "stages": stages, "tools": tools, "mermaid": diagram})
            return 0
        click.echo(f"{spec.title}: {spec.description}\n\n{diagram}\n\nTools:")
        for tool in spec.tools:
            click.echo(f"  {tool.name:<22} {tool.effect:<10} {tool.description.splitlines()[0][:90]}")
        click.echo(f"\nLimits: {spec.limits.max_steps} steps, {spec.limits.max_consecutive_errors} errors in a row")
        return 0

    sys.exit(guarded(work, as_json=as_json))


# `loopwright new`: the folder of an agent package that works, with a test that passes.


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--folder", type=click.Path(path_type=Path), help="Where to make it, if not in ./NAME.")
def new(name: str, folder: Path | None) -> None:
    """Make a folder with an agent of your own: a package with an entry point, a tool, instructions and a test.

    \b
    Example:
      loopwright new my-agent && cd my-agent && python -m pytest
    """  # noqa: D301 – Click reads the mark
    sys.exit(guarded(lambda: _make(name, folder or Path(name))))


def _make(name: str, folder: Path) -> int:
    from loopwright import __version__
    from loopwright.app.agents import agent_names
    from loopwright.kernel.errors import InvalidInput

    module = name.replace("-", "_")
    if not (module.isidentifier() and module.isascii() and name == name.lower() and "_" not in name):
        raise InvalidInput(f"An agent cannot be named {name!r}.", hint="Use a name such as my-agent.")
    if name in agent_names():
        raise InvalidInput(f"There is an installed agent named {name!r}.", hint="Choose another name.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInput(f"{folder} exists already.", hint="Choose another name, or --folder.")
    values = {"name": name, "module": module, "version": __version__}
    for source, target in (
        ("pyproject.toml", "pyproject.toml"),
        ("agent.py", f"{module}/agent.py"),
        ("instructions.md", f"{module}/instructions.md"),
        ("test_agent.py", "tests/test_agent.py"),
    ):
        _write(folder / target, source, values)
    (folder / module / "__init__.py").write_text(f'"""The agent {name}."""\n', encoding="utf-8")
    click.echo(f"{folder} is made. Next:")
    click.echo(f"  cd {folder}")
    click.echo("  python -m pytest                                        # its tests, without a model")
    click.echo(f'  loopwright run {module}/agent.py "What does a tea cost?"')
    click.echo("  pip install -e .                                        # then Loopwright knows it by its name")
    return 0


def _write(target: Path, source: str, values: dict[str, str]) -> None:
    text = resources.files("loopwright.cli").joinpath("agent_template", f"{source}.txt").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace("{{" + name + "}}", value)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


# `loopwright run AGENT`: an installed agent, or one that lives in a Python file, with everything the others have.


@click.command()
@click.argument("agent", metavar="AGENT")
@click.argument("message", metavar="MESSAGE")
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the session's own folder. [loopwright-out]")
@click.option("--session", help="Go on in this session instead of beginning a new one.")
@click.option("--answers", type=click.Path(path_type=Path), help="JSON object: question text or index → answer.")
@click.option("--yes", "-y", is_flag=True, help="Approve everything, and take the defaults for questions.")
@click.option("--json", "as_json", is_flag=True, help="Print the run's events as JSON lines.")
def run(
    agent: str,
    message: str,
    out: Path | None,
    session: str | None,
    answers: Path | None,
    yes: bool,
    as_json: bool,
) -> None:
    """Run an installed agent, or one that a Python file declares, and follow it.

    A file is loaded as `python FILE` would, without what stands below `if __name__ == "__main__":`. This installation
    remembers it, so that `loopwright runs resume` and `answer` find the agent again; they load the file too.

    \b
    Examples:
      loopwright run planner "Learn to juggle in two weeks, 3 hours a week"
      loopwright run clerk.py "When is high tide in Cork?"
      loopwright run agents.py:clerk "When is high tide in Cork?"     # where a file declares several
      loopwright run clerk.py "And in Galway?" --session 3f2a9c       # goes on in that conversation
    """  # noqa: D301 – Click reads the mark

    async def work(app: "Loopwright") -> int:
        from loopwright.app.agent_files import adopt
        from loopwright.app.agents import is_known
        from loopwright.app.starting import NewRun, check_agent, create_run
        from loopwright.cli.answers import AnswerSource, read_answers
        from loopwright.cli.views import follow, make_view

        source = AnswerSource(read_answers(answers), accept_defaults=yes, interactive=has_terminal() and not as_json)
        name = agent if is_known(agent) else adopt(app.settings.home, agent)
        check_agent(name)
        record = await create_run(app, NewRun(message, agent=name, session_id=session, output_dir=out))
        return await follow(app, record.run_id, make_view(as_json), source)

    run_in_application(work, as_json=as_json)

"""`loopwright agents`: which agents there are, and how each is controlled."""

import typer

from loopwright.cli.running import guarded, print_json

app = typer.Typer(help="List and show agents.", no_args_is_help=True, rich_markup_mode=None, add_completion=False)
JSON = typer.Option(False, "--json", help="Print JSON lines.")


@app.command("list")
def list_agents(as_json: bool = JSON) -> None:
    """List the agents."""

    def work() -> int:
        from loopwright.app.agents import agent, agent_names

        for name in agent_names():
            spec = agent(name)
            if as_json:
                print_json({"name": spec.name, "title": spec.title, "description": spec.description})
            else:
                typer.echo(f"{spec.name:<12} {spec.title}: {spec.description}")
        return 0

    raise typer.Exit(guarded(work, as_json=as_json))


@app.command()
def show(name: str = typer.Argument(..., help="The agent's name."), as_json: bool = JSON) -> None:
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
        typer.echo(f"{spec.title}: {spec.description}\n\n{diagram}\n\nTools:")
        for tool in spec.tools:
            typer.echo(f"  {tool.name:<22} {tool.effect:<10} {tool.description.splitlines()[0][:90]}")
        typer.echo(f"\nLimits: {spec.limits.max_steps} steps, {spec.limits.max_consecutive_errors} errors in a row")
        return 0

    raise typer.Exit(guarded(work, as_json=as_json))

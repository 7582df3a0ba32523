"""Commands on job configs: schema, validate."""

from dataclasses import asdict

import typer

from loopwright.cli.running import BAD_INPUT, guarded, print_json


def schema() -> None:
    """Print the JSON Schema of job configs."""

    def work() -> int:
        from loopwright.agents.jobs.configs import config_schema

        print_json(config_schema())
        return 0

    raise typer.Exit(guarded(work))


def validate(
    config: str = typer.Argument(..., metavar="FILE", help="A config file, a folder with config.json, a shipped name."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON."),
) -> None:
    """Check a job config and what it extends; each problem is told with its pointer. Exit 2 when it cannot be used."""

    def work() -> int:
        from loopwright.agents.jobs.configs import examine_config

        report = examine_config(config)
        valid = report.config is not None
        if as_json:
            issues = [asdict(issue) for issue in report.issues]
            print_json({"type": "complete", "valid": valid, "layers": report.layers, "issues": issues})
        else:
            for issue in report.issues:
                typer.echo(f"{issue.severity:<8} {issue.advice}")
            typer.echo(f"{config} is {'valid' if valid else 'not valid'} ({' → '.join(report.layers)})")
        return 0 if valid else BAD_INPUT

    raise typer.Exit(guarded(work, as_json=as_json))

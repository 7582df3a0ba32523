"""Commands on spec documents, without a project: schema, validate, diff."""

from pathlib import Path

import typer

from loopwright.cli.running import guarded, print_json

JSON = typer.Option(False, "--json", help="Print JSON.")
FILE = typer.Argument(..., metavar="FILE", help="A spec document, JSON or YAML.")
BAD_INPUT = 2


def schema() -> None:
    """Print the JSON Schema of spec documents."""

    def work() -> int:
        from loopwright.agents.designspec.document.checking import json_schema

        print_json(json_schema())
        return 0

    raise typer.Exit(guarded(work))


def validate(file: Path = FILE, as_json: bool = JSON) -> None:
    """Check a spec document; each problem is told with the pointer to the culprit. Exit 2 when it cannot run."""

    def work() -> int:
        from loopwright.agents.designspec.document.checking import check_document
        from loopwright.agents.designspec.usecases import read_spec_file

        report = check_document(read_spec_file(file))
        valid = report.ok and report.complete
        if as_json:
            issues = [issue.model_dump(mode="json") for issue in report.issues]
            print_json(
                {
                    "type": "complete",
                    "valid": valid,
                    "spec_hash": report.spec_hash,
                    "input_units": report.input_units,
                    "issues": issues,
                }
            )
        else:
            for issue in report.issues:
                typer.echo(f"{issue.severity:<10} {issue.code:<24} {issue}")
            typer.echo(f"{file} is {'valid' if valid else 'not valid'}" + (f" ({report.spec_hash})" if valid else ""))
        return 0 if valid else BAD_INPUT

    raise typer.Exit(guarded(work, as_json=as_json))


def diff(
    before: Path = typer.Argument(..., metavar="A", help="The older document."),
    after: Path = typer.Argument(..., metavar="B", help="The newer document."),
    as_json: bool = JSON,
) -> None:
    """Tell in words what has changed between two spec documents."""

    def work() -> int:
        from loopwright.agents.designspec.document.difference import diff_documents
        from loopwright.agents.designspec.usecases import read_spec_file

        changes = diff_documents(read_spec_file(before), read_spec_file(after))
        if as_json:
            print_json({"type": "complete", "changes": [change.model_dump(mode="json") for change in changes]})
        else:
            for change in changes:
                typer.echo(change.text)
            if not changes:
                typer.echo("The two mean the same.")
        return 0

    raise typer.Exit(guarded(work, as_json=as_json))

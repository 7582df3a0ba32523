"""The check of a document: everything there is to say about it, at once."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from loopwright.agents.designspec.document.domains import find_flaw, lookup, parents_of
from loopwright.agents.designspec.document.rules import RULES
from loopwright.agents.designspec.document.rules.subject import CheckedDocument
from loopwright.agents.designspec.document.spec import METRES, SCHEMA_NAME, SCHEMA_VERSION, DesignSpec
from loopwright.agents.designspec.document.validation import DocumentReport, Issue, Walk, unknown_field, validate, walk
from loopwright.kernel.errors import InvalidInput

# The document that a new project starts with.


def minimal_document(name: str) -> dict[str, Any]:
    """A draft without domains and components, in metres, with seed 42."""
    return {
        "schema": {"name": SCHEMA_NAME, "version": SCHEMA_VERSION, "compatible_with": ["1.0.x"]},
        "meta": {"name": name, "description": "", "seed": 42, "input_units": "m", "tags": []},
        "policies": {},
        "domains": {},
        "components": [],
    }


# The published JSON Schema of a spec document.

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """The schema of the document as users write it: lengths in `meta.input_units`, marked by `x-dimension`.

    Defaults are in metres whatever the document's units, since they apply after normalisation.
    """
    schema = DesignSpec.model_json_schema(by_alias=True, mode="validation")
    definitions: dict[str, Any] = {}
    named = {name: _shared(body, definitions, name) for name, body in schema.pop("$defs").items()}
    body = _shared(schema, definitions, "DesignSpec")
    return {
        "$schema": DIALECT,
        "$id": f"urn:loopwright:{SCHEMA_NAME}:{SCHEMA_VERSION}",
        **body,
        "title": "DesignSpec",
        "x-units": "Numbers with x-dimension are in meta.input_units (powers of it); default values are in metres.",
        "$defs": dict(sorted((definitions | named).items())),
    }


def _shared(node: Any, definitions: dict[str, Any], own: str = "") -> Any:
    """The node with every model in it moved to the definitions, and without defaults that repeat a whole model.

    Pydantic writes models out in full wherever a marker of ours names them.
    """
    if isinstance(node, list):
        return [_shared(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        name: _shared(item, definitions)
        for name, item in node.items()
        if not (name == "default" and isinstance(item, dict))
    }
    title = node.get("title")
    if isinstance(title, str) and title != own and isinstance(node.get("properties"), dict):
        definitions[title] = kept
        return {"$ref": f"#/$defs/{title}"}
    return kept


# The fingerprint of a design.


def spec_hash(spec: DesignSpec) -> str:
    """First 16 hex digits of SHA-256 over the sorted compact JSON of the normalised spec.

    The units it was written in do not count, so that the same design in millimetres and in metres has one hash.
    """
    content = spec.model_dump(mode="json", by_alias=True)
    content["meta"].pop("input_units", None)
    content["policies"]["resolution"].pop("input_units", None)
    return hashlib.sha256(canonical_json(content).encode()).hexdigest()[:16]


def canonical_json(value: Any) -> str:
    """Plain values as JSON with sorted names and without spaces, in ASCII: one text for one content."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


MOST_DOMAINS = MOST_COMPONENTS = 64
MOST_PORTS = 1_000
MOST_ISSUES = 200
PORTS = ("inlets", "outlets")
SEVERITIES = ("error", "incomplete", "warning")


def check_document(document: Any) -> DocumentReport:
    """Check and normalise a document; never raises, whatever it is given.

    Args:
        document: what `load_text` returned, or what a patch has made of it; it is not changed.

    Returns:
        The issues; and, without errors, the spec in metres and its hash.
    """
    flaw = find_flaw(document)
    if flaw:
        return DocumentReport(
            issues=[Issue(code=flaw.code, severity="error", pointer=flaw.pointer, message=flaw.message)]
        )
    if not isinstance(document, dict):
        return _refused("NOT_AN_OBJECT", "", "A spec document is an object with the fields schema, meta, policies, …")
    issues = [*_version_issues(document), *_crowds(document)]
    if issues:
        return DocumentReport(issues=issues)
    units, issues = _units(document)
    walked = walk(DesignSpec, document, units)
    spec, wrong = validate(DesignSpec, walked.document, document)
    issues += wrong
    issues += [unknown_field(each) for each in walked.unknown[: MOST_ISSUES + 1]]
    if spec is not None:
        subject = CheckedDocument(
            spec=spec, normalised=walked.document, original=document, units=units, lengths=walked.lengths
        )
        issues += [issue for rule in RULES for issue in rule(subject)]
    issues = _bounded(list(_without_echoes(issues)))
    valid = spec is not None and not any(issue.severity == "error" for issue in issues)
    return DocumentReport(
        issues=issues,
        input_units=units,
        scaled=list(walked.lengths) if units != "m" else [],
        spec=spec if valid else None,
        spec_hash=spec_hash(spec) if spec is not None and valid else "",
    )


def require_spec(document: Any) -> DocumentReport:
    """The check of a document that is to run.

    Raises:
        InvalidInput: it is invalid or incomplete; the message begins with the first culprit's pointer.
    """
    report = check_document(document)
    stops = report.errors or report.incomplete
    if stops:
        others = f" ({len(stops) - 1} more.)" if len(stops) > 1 else ""
        raise InvalidInput(f"{stops[0].pointer or '/'}: {stops[0].message}{others}", hint=stops[0].hint)
    return report


def normalise(document: dict[str, Any]) -> Walk:
    """The document with its lengths in metres, valid or not, and where they are.

    Units that are missing or not known count as metres.
    """
    return walk(DesignSpec, document, _units(document)[0])


def _crowds(document: dict[str, Any]) -> Iterator[Issue]:
    """There are no more things than the pipeline is made for; before anything looks at each of them."""
    domains, components = document.get("domains"), document.get("components")
    ports = [
        lookup(document, f"/components/{place}/ports/{kind}") for place in range(MOST_COMPONENTS) for kind in PORTS
    ]
    for pointer, what, count, most in (
        ("/domains", "domains", _size(domains), MOST_DOMAINS),
        ("/components", "components", _size(components), MOST_COMPONENTS),
        ("/components", "ports", sum(map(_size, ports)), MOST_PORTS),
    ):
        if count > most:
            yield Issue(
                code="TOO_MANY",
                severity="error",
                pointer=pointer,
                message=f"There are {count:,} {what}; at most {most:,} are allowed.",
            )


def _size(value: Any) -> int:
    return len(value) if isinstance(value, dict | list) else 0


def _bounded(issues: list[Issue]) -> list[Issue]:
    """No more complaints than anybody reads, the errors before the others where some are left out."""
    if len(issues) <= MOST_ISSUES:
        return issues
    kept = sorted(issues, key=lambda issue: SEVERITIES.index(issue.severity))[:MOST_ISSUES]
    message = "There is more to say about this document; repair these first."
    return [*kept, Issue(code="MORE_ISSUES", severity="warning", pointer="", message=message)]


def _without_echoes(issues: list[Issue]) -> Iterator[Issue]:
    """Each complaint once, and none about a length inside something whose size has been complained about."""
    seen: set[tuple[str, str]] = set()
    errors = {issue.pointer for issue in issues if issue.severity == "error" and issue.code != "LENGTH_NOT_NORMALIZED"}
    for issue in issues:
        around = [*parents_of(issue.pointer), issue.pointer]
        echo = issue.code == "LENGTH_NOT_NORMALIZED" and any(pointer in errors for pointer in around)
        if not echo and (issue.code, issue.pointer) not in seen:
            seen.add((issue.code, issue.pointer))
            yield issue


def _refused(code: str, pointer: str, message: str, hint: str = "") -> DocumentReport:
    return DocumentReport(issues=[Issue(code=code, severity="error", pointer=pointer, message=message, hint=hint)])


def _version_issues(document: dict[str, Any]) -> Iterator[Issue]:
    """A document of another kind or generation gets one clear sentence, and no flood of wrong fields."""
    schema = document.get("schema")
    if not isinstance(schema, dict):
        return
    name, version = schema.get("name"), schema.get("version")
    if isinstance(name, str) and name != SCHEMA_NAME:
        yield Issue(
            code="UNKNOWN_SCHEMA",
            severity="error",
            pointer="/schema/name",
            message=f"This is a document of the schema {name[:60]!r}; the only one known here is {SCHEMA_NAME!r}.",
        )
    if isinstance(version, str) and version.split(".")[:2] != SCHEMA_VERSION.split(".")[:2]:
        yield Issue(
            code="UNSUPPORTED_VERSION",
            severity="error",
            pointer="/schema/version",
            message=f"The document has version {version[:30]!r}; this program reads version 1.0 (any patch, 1.0.x).",
            hint="Bring the document to version 1.0.0, or use a program of its version.",
        )


def _units(document: dict[str, Any]) -> tuple[str, list[Issue]]:
    """The units of the document's lengths, and what is to say about them."""
    meta, policies = document.get("meta"), document.get("policies")
    resolution = policies.get("resolution") if isinstance(policies, dict) else None
    stated = meta.get("input_units") if isinstance(meta, dict) else None
    again = resolution.get("input_units") if isinstance(resolution, dict) else None
    known = [unit for unit in (stated, again) if isinstance(unit, str) and unit in METRES]
    issues = []
    if isinstance(meta, dict):
        if stated is None:
            units = f"policies.resolution says {again}" if again in known else "metres are assumed"
            issues.append(_absent("MISSING_UNITS", "/meta/input_units", f"The document names no units: {units}."))
        if meta.get("seed") is None:
            issues.append(_absent("MISSING_SEED", "/meta/seed", "The document has no seed: 42 is used."))
    if len(set(known)) > 1:
        issues.append(
            Issue(
                code="UNITS_CONFLICT",
                severity="error",
                pointer="/policies/resolution/input_units",
                message=f"The units here ({again}) contradict those of meta.input_units ({stated}).",
                hint="Leave them out here: meta.input_units holds for the whole document.",
            )
        )
    return (known[0] if known else "m"), issues


def _absent(code: str, pointer: str, message: str) -> Issue:
    return Issue(code=code, severity="warning", pointer=pointer, message=message)

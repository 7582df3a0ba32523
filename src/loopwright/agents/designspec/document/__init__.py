"""The spec document: what a DesignSpec says, in metres, typed; loading, checking and hashing it."""

from loopwright.agents.designspec.document.checking import (
    check_document,
    json_schema,
    minimal_document,
    normalise,
    require_spec,
    spec_hash,
)
from loopwright.agents.designspec.document.difference import Change, diff_documents
from loopwright.agents.designspec.document.loading import load_text
from loopwright.agents.designspec.document.spec import METRES, DesignSpec, main_domain
from loopwright.agents.designspec.document.validation import (
    DocumentReport,
    Issue,
    backend_parameters,
    effective_policies,
)

__all__ = [
    "METRES",
    "Change",
    "DesignSpec",
    "DocumentReport",
    "Issue",
    "backend_parameters",
    "check_document",
    "diff_documents",
    "effective_policies",
    "json_schema",
    "load_text",
    "main_domain",
    "minimal_document",
    "normalise",
    "require_spec",
    "spec_hash",
]

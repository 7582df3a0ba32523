"""A model's text becomes a directive, or a complaint that tells the model what to mend."""

from pydantic import ValidationError

from loopwright.agents.designspec.contracts import DIRECTIVE_KEYS, DesignSpecDirective
from loopwright.agents.designspec.directive.extract import extract_object
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.spec import Parsed

PATCHES, RUN, QUESTIONS, CONTEXT, DONE = "patches", "run", "questions", "context", "done"
"""What a directive asks of the controller."""
SHOWN_ERRORS = 8


def read_directive(text: str) -> DesignSpecDirective:
    """The directive in a model's text.

    Raises:
        InvalidInput: there is none, or it breaks the contract; the message names each field and what it must be.
    """
    found = extract_object(text)
    try:
        return DesignSpecDirective.model_validate(found)
    except ValidationError as error:
        lines = [f"- {_pointer(item['loc'])}: {_reason(item['msg'])}" for item in error.errors()[:SHOWN_ERRORS]]
        if error.error_count() > SHOWN_ERRORS:
            lines.append(f"- and {error.error_count() - SHOWN_ERRORS} more")
        raise InvalidInput(
            "The directive breaks its contract:\n" + "\n".join(lines),
            hint="Its keys are: " + ", ".join(DIRECTIVE_KEYS) + ".",
        ) from error


def _pointer(location: tuple[str | int, ...]) -> str:
    return "/" + "/".join(map(str, location))


def _reason(message: str) -> str:
    return message.removeprefix("Value error, ")[:300]


def first_signal(directive: DesignSpecDirective, *, may_ask_context: bool) -> str:
    """What comes first: the context it asks for, then patches before a run, a run before questions."""
    if directive.wants_context and may_ask_context:
        return CONTEXT
    return next_signal(directive, after="")


def next_signal(directive: DesignSpecDirective, *, after: str) -> str:
    """What is left of a directive once the given part is settled: patches, then the run, then questions."""
    order = (
        (PATCHES, bool(directive.proposed_patches)),
        (RUN, directive.wants_run),
        (QUESTIONS, bool(directive.questions)),
    )
    names = [name for name, _ in order]
    begin = names.index(after) + 1 if after in names else 0
    return next((name for name, wanted in order[begin:] if wanted), DONE)


def parse_first(text: str) -> Parsed:
    """The parser of the stage that may ask for more context."""
    return _parse(text, may_ask_context=True)


def parse_expanded(text: str) -> Parsed:
    """The parser of the stage that was given its context: it asks for no more."""
    return _parse(text, may_ask_context=False)


def _parse(text: str, *, may_ask_context: bool) -> Parsed:
    try:
        directive = read_directive(text)
    except InvalidInput as error:
        complaint = f"Your answer could not be used. {error.message}\n{error.hint}".strip()
        return Parsed(visible="", kept=text[:4_000], complaint=complaint)
    return Parsed(
        visible=directive.assistant_message,
        kept=text,
        records=[directive],
        signal=first_signal(directive, may_ask_context=may_ask_context),
    )

"""The structured answer of the model: its contract, and how it is read out of messy text."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, ClassVar

from pydantic import ValidationError, model_validator

from loopwright.agents.designspec.contracts import DIRECTIVE_KEYS, DesignSpecDirective, spread
from loopwright.agents.designspec.operations.first_design import FirstDesign, answer_of, operations_of, schema_of
from loopwright.agents.designspec.operations.forms import DirectiveAnswer, Form
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.spec import Parsed

# The forms in which models are asked for a directive.


class SentDirective(DesignSpecDirective):
    """The directive as the form of an answer: models are sent the schema of `DirectiveAnswer`, whose fields are few.

    What spec 001 lets a directive say besides is taken too, from the offline model and from older journals.
    """

    @classmethod
    def model_json_schema(cls, *args: Any, **options: Any) -> dict[str, Any]:
        """The schema that is sent: operations and a message, all required, nothing else."""
        return DirectiveAnswer.model_json_schema(*args, **options)


@cache
def plain_directive(operations: tuple[type[Form], ...], paths: tuple[str, ...] = ()) -> type[SentDirective]:
    """The same for a small model, which is offered these operations only; what the others have is taken from it too.

    Args:
        operations: those that make sense now.
        paths: what may get a new value; any path where none is named.
    """

    class PlainDirective(SentDirective):
        """The directive as a small model is asked for it."""

        @classmethod
        def model_json_schema(cls, *args: Any, **options: Any) -> dict[str, Any]:
            """The schema that is sent: only the operations that make sense now."""
            return answer_of(operations, paths).model_json_schema(*args, **options)

    return PlainDirective


@cache
def first_directive(text: str, *, asked: bool = False) -> type[SentDirective]:
    """The same for a design that does not exist yet: the model describes a part, and code makes operations of it.

    Args:
        text: all that the user has said of the design.
        asked: whether the user was asked for a missing size already.
    """

    class FirstDirective(SentDirective):
        """The directive as a small model is asked for a first design; its prompt says what the fields are."""

        fields_told: ClassVar[bool] = True

        @model_validator(mode="before")
        @classmethod
        def _described(cls, data: Any) -> Any:
            described = isinstance(data, Mapping) and "body" in data
            return operations_of(FirstDesign.model_validate(data), text, asked=asked) if described else data

        @classmethod
        def model_json_schema(cls, *args: Any, **options: Any) -> dict[str, Any]:
            """The schema that is sent: of each field only what the words hold."""
            return schema_of(text)

    return FirstDirective


# JSON out of messy text: fences, prose around, several objects, trailing commas, comments.

MAX_TEXT = 2_000_000
"""Characters of an answer that are looked at; a longer one is refused."""
MAX_OBJECTS, MAX_UNCLOSED = 50, 6
"""Objects that are looked at, and braces that may stand open in the prose, so that hostile text costs linear time."""

_COMMENT_OR_STRING = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA_OR_STRING = re.compile(r'"(?:\\.|[^"\\])*"|,(?=\s*[}\]])', re.DOTALL)
_WORD_OR_STRING = re.compile(r'"(?:\\.|[^"\\])*"|\b(?:True|False|None)\b', re.DOTALL)
_WORDS = {"True": "true", "False": "false", "None": "null"}


def extract_object(text: str) -> dict[str, Any]:
    """The directive's object within a model's text: of several objects the one with most of a directive's keys.

    An object that is cut off is never completed: half a patch would be applied as if it were whole.

    Raises:
        InvalidInput: there is no object, or the best one is not JSON; the message tells where it breaks.
    """
    if len(text) > MAX_TEXT:
        raise InvalidInput(f"The answer has {len(text):,} characters; at most {MAX_TEXT:,} are read.")
    best: dict[str, Any] | None = None
    problem = ""
    for span in _objects(text):
        found, trouble = _read(span)
        problem = problem or trouble
        if found is not None and (best is None or _likeness(found) > _likeness(best)):
            best = found
    if best is not None and (_likeness(best) or not problem):
        return best
    if problem:
        raise InvalidInput(problem, hint="Send the whole directive again as one valid JSON object.")
    where = "it begins with { but is never closed" if "{" in text else "there is none in it"
    raise InvalidInput(
        f"The answer must be one JSON object, and {where}.",
        hint='Answer with the directive only: {"assistant_message": "…", …}.',
    )


def _likeness(found: dict[str, Any]) -> int:
    return sum(key in found for key in DIRECTIVE_KEYS)


def _objects(text: str) -> Iterator[str]:
    """The balanced `{…}` of the text, outermost first; strings are only known within them."""
    position, found, unclosed = 0, 0, 0
    while found < MAX_OBJECTS and unclosed < MAX_UNCLOSED:
        start = text.find("{", position)
        if start < 0:
            return
        end = _closing(text, start)
        if end is None:
            unclosed += 1
            position = start + 1
            continue
        found += 1
        yield text[start:end]
        position = end


_BRACE_OR_STRING = re.compile(r'"(?:\\.|[^"\\])*"|[{}]', re.DOTALL)


def _closing(text: str, start: int) -> int | None:
    depth = 0
    for match in _BRACE_OR_STRING.finditer(text, start):
        if match[0] == "{":
            depth += 1
        elif match[0] == "}":
            depth -= 1
            if depth == 0:
                return match.end()
    return None


def _read(span: str) -> tuple[dict[str, Any] | None, str]:
    """The object, or what is wrong with it."""
    trouble = ""
    for attempt in (span, _tidied(span)):
        try:
            found = json.loads(attempt, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            trouble = str(error)
            continue
        return (found, "") if isinstance(found, dict) else (None, "")
    return None, f"The answer's JSON is broken: {trouble}."


def _tidied(span: str) -> str:
    """Without comments and trailing commas, with JSON's own words for Python's."""
    span = _COMMENT_OR_STRING.sub(lambda match: match[0] if match[0][0] == '"' else " ", span)
    span = _COMMA_OR_STRING.sub(lambda match: match[0] if match[0][0] == '"' else "", span)
    return _WORD_OR_STRING.sub(lambda match: _WORDS.get(match[0], match[0]), span)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


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
        return spread(DesignSpecDirective.model_validate(found))
    except ValidationError as error:
        lines = [f"- {_pointer(item['loc'])}: {_reason(item['msg'])}" for item in error.errors()[:SHOWN_ERRORS]]
        if error.error_count() > SHOWN_ERRORS:
            lines.append(f"- and {error.error_count() - SHOWN_ERRORS} more")
        raise InvalidInput(
            "The directive breaks its contract:\n" + "\n".join(lines),
            hint='Answer with {"operations": [...], "assistant_message": "..."} and no other field.',
        ) from error
    except ValueError as error:
        raise InvalidInput(f"The directive breaks its contract: {error}.") from error


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
        (PATCHES, directive.changes_anything),
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


def _kept(text: str) -> str:
    """The answer as later requests show it: its own fields, without those that say nothing."""
    said = {key: value for key, value in extract_object(text).items() if value not in (None, [], "", False)}
    said.pop("requires_approval", None)
    return json.dumps(said, ensure_ascii=False)


def _parse(text: str, *, may_ask_context: bool) -> Parsed:
    try:
        directive = read_directive(text)
    except InvalidInput as error:
        complaint = f"Your answer could not be used. {error.message}\n{error.hint}".strip()
        return Parsed(visible="", kept=text[:4_000], complaint=complaint)
    return Parsed(
        visible=directive.assistant_message,
        kept=_kept(text),
        records=[directive],
        signal=first_signal(directive, may_ask_context=may_ask_context),
    )

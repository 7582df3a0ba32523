"""What a statement of the user's promises, by its words: a claim where a check measures all of it, else nothing.

A rule fits the whole statement or not at all, so that nothing is claimed of words that no check has looked at.
"""

import io
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from loopwright.agents.ide.account.runners import RunResult, answer_of_run, calls_of_run, texts_of
from loopwright.kernel.account import Assumed, Claim, Reading, Statement

# Names in source code: where they stand outside of strings and comments, and where they are defined.

CODE = frozenset(
    {
        "py", "pyi", "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "go", "rs", "java", "kt", "swift", "rb",
        "c", "h", "cc", "cpp", "cxx", "hpp", "cs", "php", "sh", "scala", "lua", "dart", "m", "pl", "r",
    }
)  # fmt: skip
HASH_COMMENTS = frozenset({"py", "pyi", "rb", "sh", "pl", "r"})
WORD = re.compile(r"[A-Za-z_$][\w$]*")
QUIET = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL)
QUIET_WITH_HASH = re.compile(rf"#[^\n]*|{QUIET.pattern}", re.DOTALL)
BEFORE_NAME = (
    r"(?:export|default|pub(?:\([\w ]+\))?|public|private|protected|internal|static|final|abstract|async|unsafe|extern|"
    r"override|const|open|sealed|data|inline|declare)"
)
DEFINES = (
    r"^[ \t]*(?:{before}[ \t]+)*(?:def|class|func|function\*?|fn|struct|enum|interface|trait|type|module|mod|protocol|"
    r"extension|object|fun|let|var|val|const|static|macro_rules!)[ \t]+(?:\([^)\n]*\)[ \t]*)?(?:mut[ \t]+)?{name}\b"
)
BOUND = r"^(?:{name})[ \t]*(?::[^=\n]+)?=(?!=)"
IN_BLOCK = r"^[ \t]+{name}[ \t]+(?:struct|interface)\b"
FIELD = re.compile(r"\{([^{}]*)\}")
EXPORTS = re.compile(r"__all__\s*\+?=\s*[\[(](.*?)[\])]", re.DOTALL)


def is_code(path: str) -> bool:
    """Whether the file is source code by its ending."""
    return path.rpartition(".")[2].lower() in CODE


def lines_naming(path: str, text: str, name: str) -> Sequence[int]:
    """The lines on which the code has the name, a line for each time; Python's `__all__` counts as code."""
    if name not in text:
        return []
    if path.endswith((".py", ".pyi")):
        exported = [text.count("\n", 0, found.start(1)) + 1 for found in EXPORTS.finditer(text) if _lists(found, name)]
        try:
            return [*(line for line, word in _python_names(text) if word == name), *exported]
        except (tokenize.TokenError, SyntaxError):
            pass  # half a file, or a broken one: read as any other language
    return lines_with_word(path, text, name)


def lines_with_word(path: str, text: str, name: str) -> Sequence[int]:
    """The lines on which the name stands outside of strings and comments, by the looks of most languages."""
    loud = _without_quiet(path, text)
    return [loud.count("\n", 0, found.start()) + 1 for found in WORD.finditer(loud) if found[0] == name]


def lines_naming_freely(path: str, text: str, name: str) -> Sequence[int]:
    """The lines on which the name stands by itself, not as a member behind a dot."""
    loud = _without_quiet(path, text)
    found = (each for each in WORD.finditer(loud) if each[0] == name)
    alone = [each.start() for each in found if not loud[: each.start()].rstrip().endswith(".")]
    exported = EXPORTS.finditer(text) if path.endswith((".py", ".pyi")) else ()
    listed = [text.count("\n", 0, each.start(1)) + 1 for each in exported if _lists(each, name)]
    return [*listed, *(loud.count("\n", 0, place) + 1 for place in alone)]


def lines_defining(path: str, text: str, name: str) -> Sequence[int]:
    """The lines that define the name: as a function, a type, a constant, or by an assignment at the margin."""
    if name not in text or not is_code(path):
        return []
    quoted = re.escape(name)
    patterns = (form.format(before=BEFORE_NAME, name=quoted) for form in (DEFINES, BOUND, IN_BLOCK))
    loud = _without_quiet(path, text)
    found = {match for pattern in patterns for match in re.finditer(pattern, loud, re.MULTILINE)}
    return sorted({loud.count("\n", 0, match.end()) + 1 for match in found})


def _lists(found: re.Match[str], name: str) -> bool:
    return re.search(rf"[\"']{re.escape(name)}[\"']", found[1]) is not None


def _python_names(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], token.string
        elif token.type == tokenize.STRING and "f" in token.string.partition(token.string[-1])[0].lower():
            for field in FIELD.finditer(token.string):  # in Python 3.11 a formatted string is one token
                line = token.start[0] + token.string.count("\n", 0, field.start())
                yield from ((line, word) for word in WORD.findall(field[1]))


def _without_quiet(path: str, text: str) -> str:
    """The text with strings and comments blanked; lines keep their numbers."""
    python = path.endswith((".py", ".pyi"))
    if python:
        text = re.sub(r'""".*?"""|\'\'\'.*?\'\'\'', _blank, text, flags=re.DOTALL)
    suffix = path.rpartition(".")[2].lower()
    return (QUIET_WITH_HASH if suffix in HASH_COMMENTS else QUIET).sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n") or " "


NAME = r"[`\"“'„]?(?P<{0}>[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)(?:\(\))?[`\"”'“]?"
PATH = (
    r"[`\"“'„]?(?P<{0}>(?:[\w.@+-]+/)*[\w@+-]*\.\w{{1,8}}|(?:[\w.@+-]+/)+[\w@+-]+|[A-Z]\w*file|LICENSE|README)"
    r"[`\"”'“]?"
)
TEXT = r"(?:`(?P<{0}_1>[^`]+)`|\"(?P<{0}_2>[^\"]+)\"|“(?P<{0}_3>[^”]+)”|'(?P<{0}_4>[^'\n]+)'|„(?P<{0}_5>[^“”]+)[“”])"
VALUE = (
    r"(?:`(?P<{0}_1>[^`]+)`|\"(?P<{0}_2>[^\"]+)\"|“(?P<{0}_3>[^”]+)”|'(?P<{0}_4>[^'\n]+)'|"
    r"(?P<{0}_5>[^\s`\"“”']+))"
)
KIND = (
    r"(?:(?:the |a |an |die |den |das |eine? |einen )?(?:new |neue[ns]? )?(?:function|method|class|variable|constant|"
    r"symbol|type|struct|interface|funktion|methode|klasse|konstante)s?(?: (?:named|called|namens))? )?"
)
POLITE = re.compile(
    r"^(?:(?:please|kindly|now|then|also|and|just|bitte|dann|und|auch|can you|could you|would you|i want you to|"
    r"i'd like you to)[,:]?\s+)+",
    re.IGNORECASE,
)
TESTS = r"(?:all |the |all the |our |my |its |alle |die )*(?:unit )?tests?(?: suite)?"
PLACE = re.compile(r"@(?P<kind>/|=|'|)(?P<name>\w+)'?")
"""In a pattern: `@x` a name, `@/x` a path, `@'x'` a quoted text, `@=x` a value; `KIND` and `TESTS` as above."""
MEANT_ELSEWHERE = frozenset({"it", "this", "that", "them", "these", "those", "one", "everything", "all", "es", "das"})
"""Words that stand for something which was said before: no rule knows what."""
PATHS = re.compile(r"(?:.*/)?[\w@+-]*\.(?:\w{1,8})|.*/.*")

Found = Mapping[str, str]
Make = Callable[[Found], tuple[str, Mapping[str, Any]]]


def _rule(make: Make, *patterns: str) -> list[tuple[re.Pattern[str], Make]]:
    filled = (PLACE.sub(_part, pattern.replace("KIND", KIND).replace("TESTS", TESTS)) for pattern in patterns)
    return [(re.compile(pattern, re.IGNORECASE | re.DOTALL), make) for pattern in filled]


def _part(found: re.Match[str]) -> str:
    return {"": NAME, "/": PATH, "'": TEXT, "=": VALUE}[found["kind"]].format(found["name"])


def _of(check: str, *names: str, **fixed: Any) -> Make:
    return lambda found: (check, {name: found[name] for name in names if found.get(name)} | fixed)


def _rename(found: Found) -> tuple[str, Mapping[str, Any]]:
    if PATHS.fullmatch(found["old"]) and PATHS.fullmatch(found["new"]) and "." in found["new"]:
        return "moved", {"old": found["old"], "new": found["new"]}
    plain = {key: found[key].rpartition(".")[2] for key in ("old", "new")}
    if found.get("everywhere"):
        return "renamed_everywhere", plain
    return "renamed_in_code", plain | ({"path": found["path"]} if found.get("path") else {})


def _format(found: Found) -> tuple[str, Mapping[str, Any]]:
    return "valid", {"path": found["path"], "format": found["format"].lower()}


def _tests(check: str) -> Make:
    return lambda found: ("tests_run", {"selection": found["selection"]}) if found.get("selection") else (check, {})


QUESTIONS = ("quoted", "explained", "defined_at", "used_at")
EVERYWHERE = r"(?P<everywhere> everywhere| in all files| in every file| throughout(?: the project)?| überall)?"
RULES: Sequence[tuple[re.Pattern[str], Make]] = (
    *_rule(
        _of("moved", "old", "new"),
        r"(?:rename|move) (?:the )?(?:file )?@/old (?:to|into|as) @/new",
        r"(?:benenne|verschiebe) (?:die )?(?:datei )?@/old (?:in|nach|zu) @/new(?: um)?",
    ),
    *_rule(
        _rename,
        rf"rename KIND@old (?:to|as|into|->|→) @new(?: in @/path|(?: in| throughout) (?:all |the )*code|{EVERYWHERE})",
        rf"benenne KIND@old (?:in|zu) @new{EVERYWHERE}(?: um)?",
    ),
    *_rule(
        _of("assigned", "key", "value", "path", "old"),
        r"(?:set|change|bump|update) (?:the )?(?:value of )?@key in @/path (?:from @=old )?to @=value",
        r"(?:set|change|bump|update) (?:the )?(?:value of )?@key (?:from @=old )?to @=value in @/path",
        r"setze @key in @/path auf @=value",
    ),
    *_rule(
        _of("all_replaced", "old", "new", "path"),
        rf"(?:replace|change) (?:the text |every |all |the word )?@'old' (?:with|by|to|into) (?:the text )?@'new'"
        rf"(?: in (?:the file )?@/path)?{EVERYWHERE}",
        rf"ersetze @'old' durch @'new'(?: in @/path)?{EVERYWHERE}",
    ),
    *_rule(
        _of("contains", "path", "text"),
        r"(?:create|write|make|add) (?:a |the )?(?:new )?(?:file )?(?:called |named )?@/path (?:with|containing|that "
        r"(?:contains|says))(?: the| this)?(?: (?:content|contents|text|line))?:? @'text'",
        r"(?:add|append|insert|put) (?:the |a )?(?:line |text )?@'text' (?:to|in|into) (?:the file )?@/path",
        r"(?:erstelle|schreibe) (?:die |eine )?(?:datei )?@/path mit (?:dem (?:text|inhalt) )?@'text'",
    ),
    *_rule(
        _of("exists", "path"),
        r"(?:create|make|add) (?:a |an |the )?(?:new |empty )*(?:file |folder |module )?(?:called |named )?@/path",
    ),
    *_rule(
        _of("lacks", "path", "text"),
        r"(?:remove|delete|drop) (?:the )?(?:line |text |word )?@'text' from (?:the file )?@/path",
    ),
    *_rule(
        _of("gone", "path"),
        r"(?:delete|remove) (?:the )?(?:file |folder )?@/path",
        r"(?:lösche|entferne) (?:die )?(?:datei )?@/path",
    ),
    *_rule(
        _of("defines_not", "name", "path"),
        r"(?:delete|remove|drop) (?:the )?(?:unused )?(?:function|method|class|constant) @name(?: (?:from|in) @/path)?",
    ),
    *_rule(
        _of("defines", "name", "path"),
        r"(?:add|write|create|implement|define) (?:a |an |the )?(?:new )?(?:function|method|class|constant) "
        r"(?:called |named )?@name(?: (?:to|in) @/path)?",
    ),
    *_rule(
        _format, r"(?:make sure|check|ensure)(?: that)? @/path (?:is|stays|remains) valid (?P<format>json|toml|python)"
    ),
    *_rule(
        _tests("all_tests_run"),
        r"(?:re-?run|run|execute) TESTS(?: (?:in|of|from) @/selection)?(?: again| afterwards| after that)?",
        r"(?:führe) TESTS (?:aus|durch)|lass TESTS laufen",
    ),
    *_rule(
        _of("all_tests_pass"),
        r"(?:make sure|check|ensure|see)(?: that)? TESTS (?:still )?(?:pass|passes|are green|work)",
        r"(?:fix|repair|make) (?:the )?(?:failing|broken) tests?(?: pass)?",
        r"TESTS (?:must|should|have to) (?:still )?pass",
        r"TESTS (?:fail|are failing|are broken|do not pass|don't pass)",
    ),
    *_rule(
        _of("tests_pass", "selection"),
        r"(?:TESTS (?:in|of) )?(?P<selection>(?:[\w.-]+/)*(?:test[\w.-]*|[\w.-]*[._-](?:test|spec)s?)\.\w{1,4}) "
        r"(?:fails?|is failing|are failing|does not pass|do not pass|must pass|should pass|has to pass|is broken)",
        r"(?:make|let|get) (?:TESTS (?:in|of) )?@/selection (?:pass|green)",
        r"(?:the |die )?(?:tests? in )?@/selection (?:schlägt|schlagen) fehl",
    ),
    *_rule(_of("command_run", "command"), r"(?:run|execute)(?: the command)? `(?P<command>[^`]+)`"),
    *_rule(
        _of("unchanged", "path"),
        r"(?:do not|don't|never) (?:change|touch|edit|modify) @/path",
        r"without (?:changing|touching|editing|modifying) @/path",
        r"(?:leave|keep) @/path (?:alone|as it is|unchanged|untouched)",
    ),
    *_rule(
        _of("defined_at", "name"),
        r"where (?:is|are|do we|does the code) KIND@name (?:defined|declared|implemented)",
        r"where do(?:es)? (?:we|the code|it) (?:define|declare|implement) KIND@name",
        r"(?:find|show|show me|go to) (?:the )?definitions? of KIND@name",
        r"wo (?:ist|wird) KIND@name definiert",
    ),
    *_rule(
        _of("used_at", "name"),
        r"where (?:is|are) KIND@name (?:used|called|referenced)",
        r"(?:who|what) (?:uses|calls) KIND@name",
        r"(?:find|list|show)(?: me)? (?:all |the |every )*(?:uses|usages|callers|references) (?:of|to) KIND@name",
    ),
    *_rule(
        _of("quoted", "name"), r"find (?:the )?KIND@name(?: (?:function|class|method|type))?", r"where is KIND@name"
    ),
    *_rule(
        _of("explained", "name"),
        r"(?:explain|show|show me) (?:the )?KIND@name(?: (?:function|class|method|type))?",
        r"what (?:does|is) KIND@name(?: (?:do|for))?",
    ),
)
PLACE_ALONE = re.compile(
    PLACE.sub(_part, "(?:in|to|into|of|from|aus|von) (?:the file |der datei )?@/path"), re.IGNORECASE
)
MOST_TOLD = 5
"""Files that one line names."""


async def read(run: RunResult, statements: Sequence[Statement]) -> Mapping[str, Reading]:
    """The statements that a check measures whole, as claims by their ids; then what was done for those without values.

    A question is about a name only where the code has it: "what is here" asks for no symbol.
    """
    found: dict[str, Reading] = {}
    written = list(dict.fromkeys(path for call in await calls_of_run(run) for path in call.written))
    answered = bool((await answer_of_run(run)).strip())
    for group in _clauses(run, statements):
        claim = claim_of(" ".join(each.text for each in group))
        if claim is not None and _is_about_code(run, claim):
            found |= dict.fromkeys((each.id for each in group), claim)
        else:
            readings = {each.id: _place(each) or _assumed(each, written, answered) for each in group}
            found |= {name: reading for name, reading in readings.items() if reading is not None}
    return found


def _place(statement: Statement) -> Claim | None:
    """A file in which something is to be done that no check measures: that it was written is what can be seen."""
    match = PLACE_ALONE.fullmatch(statement.text.strip(" .!?,;:"))
    return Claim(check="changed", arguments=_values(match)) if match is not None else None


def _assumed(statement: Statement, written: Sequence[str], answered: bool) -> Assumed | None:
    """What stands in the place of words that nothing measures, where there is such a thing."""
    if statement.kind == "question" and answered:
        return Assumed("answered in words, which nothing measures")
    if statement.kind not in ("question", "context") and written:
        return Assumed(f"changed {', '.join(written[:MOST_TOLD])}; nothing measures whether that is all of it")
    return None


def _clauses(run: RunResult, statements: Sequence[Statement]) -> list[list[Statement]]:
    """Statements that stand in one clause, with nothing but a space between: what is said in one limits the others."""
    groups: list[list[Statement]] = []
    for each in sorted(statements, key=lambda one: (one.message, one.parts)):
        last = groups[-1][-1] if groups else None
        said = run.state.said[each.message]
        goes_on = last is not None and last.message == each.message and last.parts[-1][1] < each.parts[0][0]
        if goes_on and last is not None and said[last.parts[-1][1] : each.parts[0][0]] == " ":
            groups[-1].append(each)
        else:
            groups.append([each])
    return groups


def _is_about_code(run: RunResult, claim: Claim) -> bool:
    name = str(claim.arguments.get("name", ""))
    if claim.check not in QUESTIONS:
        return True
    return any(is_code(path) and lines_naming(path, text, name) for path, text in texts_of(run.output_dir))


def claim_of(text: str) -> Claim | None:
    """The claim that the words make; None where no rule fits all of them."""
    words = POLITE.sub("", " ".join(text.split())).strip(" .!?,;:")
    for pattern, make in RULES:
        match = pattern.fullmatch(words)
        if match is not None and not MEANT_ELSEWHERE & {word.lower() for word in match.groupdict().values() if word}:
            check, arguments = make(_values(match))
            return Claim(check=check, arguments=dict(arguments))
    return None


def _values(match: re.Match[str]) -> dict[str, str]:
    """The groups that took part; the forms of a quotation under their one name."""
    return {re.sub(r"_\d$", "", name): value for name, value in match.groupdict().items() if value is not None}

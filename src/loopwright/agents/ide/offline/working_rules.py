"""Requests that change the project, run something in it, or remember something of it."""

import re
from collections.abc import Sequence

from loopwright.agents.ide.offline.phrases import Rule, first, rule, said
from loopwright.agents.ide.offline.wish import Wish
from loopwright.agents.ide.offline.works.importing import AddImport
from loopwright.agents.ide.offline.works.remembering import Forget, Remember
from loopwright.agents.ide.offline.works.renaming import Rename
from loopwright.agents.ide.offline.works.replacing import MakeFile, RemoveFile, ReplaceText
from loopwright.agents.ide.offline.works.stubbing import StubTest
from loopwright.agents.ide.offline.works.testing import RunTests
from loopwright.agents.ide.offline.works.tidying import Tidy
from loopwright.agents.ide.offline.works.undoing import Undo


def _rename(found: re.Match[str]) -> Wish:
    owner, _, old = found["old"].rpartition(".")
    return Rename(old, found["new"].rpartition(".")[2], owner.rpartition(".")[2], every=bool(found["every"]))


def _make(found: re.Match[str]) -> Wish:
    return MakeFile(found["path"], found["block"] if found["block"] is not None else said(found, "text") + "\n")


def _tidy(found: re.Match[str]) -> Wish:
    lint, style = "lint" in found[0].lower(), re.search("format|style", found[0].lower()) is not None
    return Tidy(linters=lint or not style, formatters=style or not lint)


def _import(found: re.Match[str]) -> Wish:
    return AddImport(found["path"], found["name"], found["module"] or "")


WORKING_RULES: Sequence[Rule] = (
    rule(lambda m: Remember(m["what"].strip(" .")), r"(?:remember|note|keep in mind)(?: that|:)?\s+(?P<what>.+)"),
    rule(lambda m: Forget(m["what"].strip(" .")), r"forget(?: that| about|:)?\s+(?P<what>.+)"),
    rule(
        _rename,
        r"rename (?P<every>every |all )?KIND@old (?:to|as|into|→|->) KIND@new"
        r"(?: everywhere| in all files| across (?:the|all) (?:files|project))?",
    ),
    rule(
        lambda m: ReplaceText(m["path"], said(m, "old"), said(m, "new")),
        r"(?:replace|change) (?:the text |all |every )?@'old' (?:with|by|to|into) @'new' in (?:the file )?@/path",
    ),
    rule(
        _make,
        r"(?:create|write|make|add) (?:a |the )?(?:new )?(?:file )?(?:called |named )?@/path(?: with| containing|:)"
        r"(?: the)?(?: (?:content|contents|text))?:?\s(?:@'text'|```[^\n`]*\n(?P<block>.*?)```)",
    ),
    rule(lambda m: RemoveFile(m["path"]), r"(?:delete|remove) (?:the )?(?:file )?@/path"),
    rule(
        lambda m: StubTest(m["name"]),
        r"(?:write|add|create|generate) (?:a |an )?(?:stub |unit |skeleton )*test(?: stub| case| skeleton)?s?"
        r" (?:for|of) KIND@name",
    ),
    rule(
        lambda m: AddImport(m["path"], statement=" ".join(m["line"].split())),
        r"(?:add|insert) (?:the line )?[`\"“'](?P<line>(?:from [\w.]+ )?import [\w., ]+)[`\"”'] (?:to|in|into) @/path",
    ),
    rule(
        _import,
        r"(?:(?:add|insert|fix|write) (?:an? |the )?(?:missing )?imports? (?:of |for )|import )@name"
        r"(?: from [`\"']?(?P<module>[\w.]+?)[`\"']?)? (?:to|in|into) @/path",
    ),
    rule(
        lambda m: AddImport(m["path"]),
        r"(?:add|insert|fix) (?:all |an? |the )*(?:missing )?imports? (?:to|in|into|of) @/path",
    ),
    rule(
        _tidy,
        r"(?:auto-?)?(?:format|reformat|lint|tidy(?: up)?)(?: and (?:lint|format))?"
        r"(?: (?:PROJECT|the files|everything|all files|it))?",
        r"(?:fix|apply|run)\b.{0,40}\b(?:lint\w*|format\w*|style)\b.{0,40}",
    ),
    rule(lambda m: Undo(), r"(?:undo|revert|roll ?back)\b(?!.*\bcommit\b).{0,60}"),
    rule(
        lambda m: RunTests(path=first(m, "path", "other")),
        r"(?:run|execute|check|re-?run)\b[^`\"“/]{0,40}\btests?\b[^`\"“/]{0,20}\b(?:in|of|from|at) @/path",
        r"(?:run|execute) (?:the )?tests? @/other",
    ),
    rule(lambda m: RunTests(command=said(m, "command")), r"(?:run|execute)(?: the command)? @'command'"),
    rule(
        lambda m: RunTests(),
        r"(?:run|execute|check|re-?run|make sure|test|keep)\b.{0,40}\btests?\b.{0,60}",
        r"test (?:it|everything|this|PROJECT)",
        r"(?:do|are|will) (?:all )?(?:the |our |my )?tests (?:still )?(?:pass|green|run|work|ok|passing)\b.{0,20}",
        r"(?:say |tell me )?(?:what|which)\b.{0,20}\b(?:fails|failed|tests? (?:fail|are failing|failed))\b.{0,20}",
    ),
)

"""Requests that read the project: explain, find, list."""

import re
from collections.abc import Sequence

from loopwright.agents.ide.offline.phrases import Rule, first, is_file, rule, said
from loopwright.agents.ide.offline.wish import Wish
from loopwright.agents.ide.offline.works.explaining import ExplainFile, ExplainSymbol
from loopwright.agents.ide.offline.works.finding import FindFiles, FindSymbol, FindText
from loopwright.agents.ide.offline.works.overview import Overview
from loopwright.agents.ide.offline.works.remembering import Recall
from loopwright.agents.ide.offline.works.unable import Introduce
from loopwright.agents.ide.offline.works.undoing import ShowChanges

PARTS = {"language": "languages", "entry": "entry points", "structure": "structure", "layout": "structure"}


def _part(found: re.Match[str]) -> Wish:
    word = found["part"].lower()
    return Overview(next((part for beginning, part in PARTS.items() if word.startswith(beginning)), ""))


def _text(found: re.Match[str]) -> Wish:
    return FindText(said(found, "text") or said(found, "other") or found["word"], found["path"] or "")


READING_RULES: Sequence[Rule] = (
    rule(lambda m: Recall(), r".*\bwhat do you (?:remember|know)\b.*", r"(?:list|show)(?: me)?(?: the| your)? memor.*"),
    rule(
        lambda m: ShowChanges(),
        r"(?:show|list|tell)\b.{0,20}\b(?:changes|changed|diff)\b.{0,40}",
        r"what (?:did you|have you|has been|was|were|you have)\b.{0,20}\bchange.{0,40}",
        r"diff",
    ),
    rule(
        lambda m: Overview("tests"),
        r"(?:explain |tell me |show me )?how (?:do i|to|can i|are|do you|does one)\b.*\btests?\b.*",
        r"what (?:is )?(?:the )?test command.*",
    ),
    rule(
        _part,
        r"(?:what|which|where|show|list|tell)\b.*\b(?P<part>languages?|entry ?points?|structure|layout)\b.*",
    ),
    rule(
        lambda m: Overview(),
        r"(?:explain|describe|summari[sz]e|what is|what's|what does|tell me about|"
        r"give (?:me )?an? (?:overview|summary) of)\b[\w ]{0,30}\bPROJECT(?: (?:do|about|work|is|for|to me|does))*",
        r"how does PROJECT work|overview|what is this|how does (?:this|it) work",
    ),
    rule(
        lambda m: FindSymbol(first(m, "name", "other", "third", "fourth"), "definition"),
        r"where (?:is|are|do we|does the code) KIND@name (?:defined|declared|implemented|located)",
        r"(?:find|show|go to)(?: me)? (?:the |where the )?definition of KIND@other",
        r"(?:find|show|tell)(?: me)? where KIND@third is (?:defined|declared|implemented)",
        r"where is KIND@fourth",
    ),
    rule(
        lambda m: FindSymbol(first(m, "name", "other", "third"), "uses"),
        r"where (?:is|are) KIND@name (?:used|called|referenced|imported|needed)",
        r"(?:who|what|which \w+) (?:uses?|calls?|imports?|needs?) KIND@other",
        r"(?:find|list|show)(?: me)? (?:all |the |every )*(?:uses?|usages?|references?|callers?|calls?)"
        r" (?:of|to) KIND@third",
    ),
    rule(
        lambda m: FindSymbol(first(m, "name")),
        r"where (?:is|are) KIND@name defined and (?:where (?:is|are) (?:it|they) )?used",
    ),
    rule(
        _text,
        r"(?:search|grep|look)(?: for)? (?:the text )?(?:@'text'|(?P<word>\S+))(?: in @/path)?",
        r"(?:find|which (?:files|lines) (?:contain|mention|hold|have)) (?:the text )?@'other'",
    ),
    rule(
        lambda m: FindText(m["mark"].upper()),
        r"(?:find|list|show|are there)(?: me)? (?:all |the |any )*(?P<mark>todo|fixme)s?(?: comments| marks)?",
    ),
    rule(
        lambda m: FindFiles(first(m, "pattern", "glob").strip("`\"'")),
        r"(?:find|list|show)(?: me)? (?:all |the )*files?(?: (?:matching|named|called|in|like))?"
        r" ?(?P<pattern>[`\"']?[\w./*?\[\]{}-]*[`\"']?)",
        r"(?:find|list) (?:all )?(?P<glob>[\w./-]*\*[\w./*-]*)(?: files)?",
    ),
    rule(
        lambda m: ExplainFile(m["path"]) if is_file(m["path"]) else ExplainSymbol(m["path"]),
        r"(?:explain|describe|summari[sz]e|show(?: me)?|read|open|what is in|what's in|what does)"
        r"(?: the)?(?: file)? @/path(?: do| contain| does)?",
    ),
    rule(
        lambda m: ExplainSymbol(m["name"]),
        r"(?:explain|describe|what is|what's|what does|how does|tell me about|show(?: me)?)"
        r"(?: how| what)? KIND@name(?: (?:do|does|work|works|mean|is|for))*",
    ),
    rule(lambda m: FindSymbol(m["name"]), r"find KIND@name"),
    rule(lambda m: Introduce(), r"(?:help|hi|hello|hey|what can you do|who are you|what are you)\b.{0,20}"),
)

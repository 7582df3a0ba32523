"""Names, abbreviations and symbols, by how they are written."""

import re
from typing import Literal

from loopwright.kernel.account.reading.lexicon import Word
from loopwright.kernel.account.reading.sentences import Line

NameKind = Literal["name", "abbreviation", "symbol"]
_SYMBOL = re.compile(r"\w*[a-z0-9]_\w+|_\w+|[a-z]+\d*[A-Z]\w*|(?:Ctrl|Alt|Cmd|Shift|Strg)(?:[-+]\w+)+", re.A)
_INNER_CAPITAL = re.compile(r"(?=.*[a-zß-ÿ0-9])[A-Z]\w*[A-Z]\w*")
_ABBREVIATION = re.compile(r"(?=(?:.*[A-Z]){2})[A-Z0-9][A-Z0-9]*(?:[-/&][A-Z0-9]+)*s?")
_CODE = re.compile(r"[A-Z]{1,3}-?\d+[A-Za-z]?|\d+[A-Z]")
OPERANDS = 12
"""So many words before a new name the verb "rename" is looked for."""
LONGEST_CALLED = 6
"""Words, or Chinese characters, of what something is called."""
_FAMILY_NAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许邓冯韩曹曾彭萧蔡潘田董袁于余叶蒋杜苏魏程吕丁沈任姚卢傅钟姜崔谭廖范汪陆金石戴贾韦夏邱方侯邹熊孟秦白江阎薛尹段雷黎史龙陶贺顾毛郝龚邵万钱严武"
)
_TITLES = frozenset(("医生", "老师", "先生", "女士", "教授", "经理", "主任", "师傅", "同学", "小姐"))
_INNER_MARKS = ("&", "+")
_AXES = ("x", "y", "z")


def name_at(line: Line, index: int) -> tuple[int, NameKind] | None:
    """The index after the name, abbreviation or symbol that begins at a word, and which of them it is."""
    word = line.words[index]
    if word.kind == "han":
        return _chinese(line, index)
    if word.kind != "word":
        return None
    if _SYMBOL.fullmatch(word.text):
        return index + 1, "symbol"
    if _axis(line, index):
        return index + 1, "symbol"
    if line.has(index, "language_names"):
        return index + 1, "name"
    operand = _operand(line, index) or _after_called(line, index)
    if operand:
        return operand, "name"
    shouted = line.shouted
    after = _run(line, index, shouted)
    if after is None:
        known = line.has(index, "places", "given") and word.text[0].isupper()
        return (index + 1, "name") if known else None
    only = after == index + 1
    if only and _ABBREVIATION.fullmatch(word.text):
        return after, "abbreviation"
    return after, "name"


def _axis(line: Line, index: int) -> bool:
    if re.fullmatch(r"[xyz]-\w+", line.norms[index]):
        return True
    if line.words[index].text not in _AXES or (
        line.norms[index] == "y" and line.languages[:1] not in (("en",), ("de",), ("zh",))
    ):
        return False
    around = [line.words[place] for place in (index - 1, index + 1) if 0 <= place < len(line.words)]
    return not any(near.kind == "number" for near in around)


def _run(line: Line, index: int, shouted: bool) -> int | None:
    """The index after the words of a name that begins here; None where none begins."""
    if not _name_word(line, index, shouted):
        return None
    after = index + 1
    while after < len(line.words):
        if _name_word(line, after, shouted, inside=True) and not line.words[after - 1].text.endswith("-"):
            after += 1
        elif (
            line.words[after].text in _INNER_MARKS
            and after + 1 < len(line.words)
            and line.words[after + 1].text[0].isupper()
        ):
            after += 2
        elif (
            line.words[after].kind == "number"
            and line.words[after].text.isdecimal()
            and not _counts_what_follows(line, after)
        ):
            after += 1
        else:
            break
    first = line.words[index]
    strong = _strong(first, shouted)
    if after > index + 1:
        return after if strong or not _ordinary_start(line, index) else _without_first(line, index, after)
    if strong:
        return after
    return None if _ordinary_start(line, index) else after


def _without_first(line: Line, index: int, after: int) -> int | None:
    """Two capital words at the start of a sentence are a name, but not if the first is a verb or an article."""
    return None if line.has(index, "verbs", "function", "question", "adjunct", "preposition") else after


def _counts_what_follows(line: Line, index: int) -> bool:
    """Whether a number after a name belongs to the noun behind it."""
    following = line.words[index + 1] if index + 1 < len(line.words) else None
    return (
        following is not None
        and following.kind == "word"
        and not line.has(index + 1, "function", "preposition", "adjunct", "and")
    )


def _strong(word: Word, shouted: bool) -> bool:
    """Whether the word is a name wherever it stands: inner capitals, or an abbreviation."""
    if shouted:
        return False
    return bool(_INNER_CAPITAL.fullmatch(word.text) or _ABBREVIATION.fullmatch(word.text) or _CODE.fullmatch(word.text))


def _ordinary_start(line: Line, index: int) -> bool:
    """Whether a capital tells nothing here: at the start of a sentence, or on a German noun."""
    if "de" in line.languages[:1]:
        return not _after_title(line, index)
    before = line.words[index - 1] if index else None
    if _after_title(line, index):
        return False
    return before is None or before.text in (".", ":", "(", "-", "–", "*", "•", "…", "/") or before.text in "\"'“„«‘"


def _name_word(line: Line, index: int, shouted: bool, *, inside: bool = False) -> bool:
    word = line.words[index]
    if word.kind != "word" or shouted:
        return False
    if not word.text[0].isupper() and not _CODE.fullmatch(word.text):
        return False
    if _strong(word, shouted):
        return not line.has(index, "function") or len(word.text) > 2
    if line.has(index, "titles") or word.norm in ("i", "i'm", "i'd", "i've", "i'll"):
        return False
    if (
        any(phrase.kind in ("months", "weekdays", "frame", "called") for phrase in line.phrases_at(index))
        and not inside
    ):
        return False
    if line.phrase_at(index, "weekdays") or line.phrase_at(index, "months"):
        return False
    if "de" in line.languages[:1]:
        return _german(line, index, inside)
    if line.titled:
        return False
    return not line.has(index, "function") or (inside and not line.has(index, "and"))


def _german(line: Line, index: int, inside: bool) -> bool:
    """All nouns have capitals: a name is what two of them in a row are, or one after a title or before "&"."""
    if line.has(index, "function", "determiner") or line.phrase_at(index, "colours"):
        return False
    if inside:
        return True
    if _after_title(line, index):
        return True
    following = line.words[index + 1] if index + 1 < len(line.words) else None
    if following is None:
        return False
    joined = following.text in _INNER_MARKS and index + 2 < len(line.words) and line.words[index + 2].text[0].isupper()
    pair = following.kind == "word" and following.text[0].isupper() and not line.has(index + 1, "function", "titles")
    return joined or (pair and index > 0)


def _after_called(line: Line, index: int) -> int:
    """The index after what something is called, in small letters too; 0 where nothing is called here."""
    called = any(
        phrase.kind == "called"
        for size in (1, 2, 3, 4)
        for phrase in line.phrases_at(index - size)
        if len(phrase.words) == size
    )
    after = index
    while (
        called and after < min(len(line.words), index + LONGEST_CALLED) and line.words[after].kind in ("word", "number")
    ):
        if line.has(after, "preposition", "adjunct", "and", "but", "relative", "auxiliary") and after > index:
            break
        if after > index and line.words[after].text[0].islower() and line.words[index].text[0].isupper():
            break
        after += 1
    return after if after > index else 0


def _chinese(line: Line, index: int) -> tuple[int, NameKind] | None:
    """A place, a given name, a person by family name and title, or what something is called."""
    for phrase in line.phrases_at(index):
        if phrase.kind in ("places", "given"):
            return index + len(phrase.words), "name"
    for size in (1, 2, 3):
        if any(p.kind == "called" and len(p.words) == size for p in line.phrases_at(index - size)) and not any(
            p.kind == "called" for p in line.phrases_at(index)
        ):
            after = index
            while after < min(len(line.words), index + LONGEST_CALLED) and _of_name(line, after):
                after += 1
            return (after, "name") if after > index else None
    if line.words[index].text in _FAMILY_NAMES:
        for size in (1, 2, 3):
            title = "".join(word.text for word in line.words[index + size : index + size + 2])
            if title in _TITLES:
                return index + size, "name"
    return None


def _of_name(line: Line, index: int) -> bool:
    return line.words[index].kind == "han" and not line.has(index, "function", "preposition", "adjunct")


def _after_title(line: Line, index: int) -> bool:
    """Whether "Dr." or the like stands before the word."""
    place = index - 1
    place -= place > 0 and line.words[place].text == "."
    return line.has(place, "titles")


def _operand(line: Line, index: int) -> int:
    """The index after what is renamed, or its new name: more than its first word may be in small letters."""
    if not line.words[index].text[0].isupper() or index == 0:
        return 0
    renames = [place for place in range(max(0, index - OPERANDS), index) if line.has(place, "rename")]
    if not renames or not (renames[-1] == index - 1 or line.has(index - 1, "rename_to")):
        return 0
    after = index + 1
    while (
        after < len(line.words)
        and line.words[after].kind == "word"
        and not line.has(after, "rename_to", "preposition", "adjunct", "and", "function")
    ):
        if any(phrase.kind == "all" for phrase in line.phrases_at(after)):
            break
        after += 1
    return after

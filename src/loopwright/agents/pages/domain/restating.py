"""A brief said as lists of things before it is read: what each thing has and which states it knows stand in brackets.

"Each dive has a site and a date" is "Dives (site, date)"; a mark before the first word says that these are fields.
"""

import re

from loopwright.agents.pages.domain.features import capital, kind_of_block
from loopwright.agents.pages.domain.grammar import Lexicon, base, bracketed, is_verb, items, stripped

HAS = "\ue003"
"""Stands before the first of what each thing has."""
_UNIT = re.compile(r"((?:(?<=[^\W\d]{2}[.!?])|(?<=[)）][.!?]))[^\S\n]+(?=[^\s(（])|(?<=[;。；！？])[^\S\n]*|\n+)")
_BULLET = re.compile(
    r"(?:^|(?<=\n))[ \t]*(?:[*•–—-]|\(?\d{1,2}[.):、](?!\d)|[a-h]\))[ \t]*(?=\S)|"
    r"(?:(?<=[;；。：:])|(?<=[;:.] ))\s*[(（]?(?:\d{1,2}[.)、）](?!\d)|[①-⑩])[ \t]*(?=\D)",
)
_HEADING = re.compile(r"(?:^|(?<=\n)|(?<=[.!?] ))[^\n:：.!?]{1,60}[:：][ \t]*\n(?=[ \t]*(?:[*•–—-]|\(?\d{1,2}[.):、]))")
"""A line over a list; the first one says what the app is."""
_BEFORE_NUMBERS = re.compile(r"[，,；;。.]\s*[^\s，,：:；;。.]{2,14}[：:]\s*(?=[(（]?(?:1[.)、）]|①))")
_BY_WHOM = re.compile(r"(?<=\w) (?:I|we|they|you|he|she) (?:have|has|had) \w+")
"""Who has done something with things, behind them: "the peals they have rung"."""
MOST_WORDS = 5
"""Words of one thing that something has."""
MOST_OWNER = 4
"""Words of what has them."""
_GOES_ON = re.compile(r"(?:of|de|des|du|del)\s|d['’]", re.I)
"""How a part begins that goes on with the one before it: "the price of the work and of the parts"."""
_PRONOUN = {"en": r"\s+(?:they|we|you|he|she|it|i|that|which|who)\s.*$"}


def without_bullets(brief: str) -> str:
    """A brief whose lists have no bullets, no numbers and no line over them: one sentence for each of their lines."""
    brief = brief.strip()
    brief = _HEADING.sub(lambda found: "\n" if found.start() else found[0], brief)
    return _BULLET.sub("", _BEFORE_NUMBERS.sub("。" if "，" in brief else ". ", brief))


def with_brackets(brief: str, words: Lexicon) -> str:
    """A brief in which what things have, and the states they know, stand in brackets behind them."""
    parts = _UNIT.split(brief)
    told = ""
    for number, (unit, joint) in enumerate(zip(parts[::2], [*parts[1::2], ""], strict=True)):
        said = _unit(unit, words, is_head=not number) if unit.strip() else unit
        told += said + (joint if said == unit else "\n")
    return told.strip()


def _unit(text: str, words: Lexicon, *, is_head: bool = False) -> str:
    """One sentence; what stands before and after a thing with its fields becomes a sentence of its own.

    What an app is with, as its head says before a colon, are its parts.
    """
    if HAS in text:
        return text
    for name, read in (
        ("done_to", _deeds),
        ("each_has", _fields),
        ("can_be", _states),
        ("which_are", _conditions),
        ("either", _choice),
    ):
        found = _searched(words, name, text)
        said = found and read(found, words)
        if found and said:
            before = re.sub(rf"[\s,，]*(?:(?<!\w)(?:{words.words['and']}))?\s*$", "", text[: found.start()], flags=re.I)
            said = f"{said[:1].upper()}{said[1:]}"
            return "\n".join(part for part in (_unit(before, words, is_head=is_head) if before else "", said) if part)
    head, colon, rest = text.partition(":") if is_head else ("", "", text)
    return f"{head}{colon}{_with(rest, words)}" if colon or not is_head else text


def _searched(words: Lexicon, name: str, text: str) -> re.Match[str] | None:
    patterns = words.words.get(name, ())
    hits = (re.search(each, text, re.I) for each in ([patterns] if isinstance(patterns, str) else patterns))
    return next((hit for hit in hits if hit), None)


_GERMAN_PARTICIPLE = re.compile(
    r"(?P<prefix>ab|an|auf|aus|ein|mit|vor|zu|zurück|nach|hoch|hinzu|um|fest|weiter|herunter)?(?:ge)?(?P<stem>\w+?)"
    r"(?:e?t|en)"
)


def _infinitive(participle: str, words: Lexicon) -> str:
    """The verb of what is done: "abgesagt" is of "absagen"; empty for none that is known."""
    if words.language == "en":
        return base(participle, words) if is_verb(participle, words) else ""
    found = _GERMAN_PARTICIPLE.fullmatch(participle)
    ending = "n" if found and re.search(r"(?:el|er)$", found["stem"]) else "en"
    verb = f"{found['prefix'] or ''}{found['stem']}{ending}" if found else ""
    return verb if words.whole("verbs", verb) else ""


def _deeds(found: re.Match[str], words: Lexicon) -> str:
    """What is done to things, each deed said as doing it: "lessons can be booked and cancelled"."""
    thing = stripped(found["thing"], words)
    parts = [each.split() for each in items(found["deeds"], words)]
    verbs = [_infinitive(each[-1].lower(), words) for each in parts]
    if not thing or not parts:
        return ""
    told = [f"{thing} {verb}" if words.language == "de" else f"{verb} {thing}" for verb in verbs if verb]
    rest = found.string[found.end() :].strip(" ,.")
    return ", ".join(told or [thing]) + (f"\n{rest}" if rest else "")


def _fields(found: re.Match[str], words: Lexicon) -> str:
    """What each thing has: all parts up to the first that says something else."""
    owner = _owner(found["thing"], words)
    listed, rest = _phrases(found["list"], words)
    rest = " ".join(each for each in (rest, found.string[found.end() :].strip(" .")) if each)
    return f"{owner} ({HAS}{', '.join(listed)})" + (f"\n{rest}" if rest else "") if owner and listed else ""


def _states(found: re.Match[str], words: Lexicon) -> str:
    """Which states a thing knows: "a parcel is waiting, packed or collected"."""
    told = items(found["list"].strip(" .。;；"), words)
    states = [each if words.language == "fr" else stripped(each, words) for each in told]
    owner = _owner(found["thing"], words)
    if not owner or len(states) < 2 or any(len(each.split()) > 3 or not each for each in states):
        return ""
    return f"{owner} ({HAS}{words.words['labels']['Status']}={'/'.join(map(capital, states))})"


def _conditions(found: re.Match[str], words: Lexicon) -> str:
    """What may be so of each thing: "which machines and dryers are free"."""
    labels = words.words["labels"]
    choices = f"{capital(found['list'])}={labels['Yes']}/{labels['No']}"
    owners = [_owner(each, words) for each in items(found["thing"], words)]
    rest = found.string[found.end() :].strip(" ,.，。")
    told = ", ".join(f"{each} ({HAS}{choices})" for each in owners)
    return "" if not all(owners) else told + (f"\n{rest}" if rest else "")


def _choice(found: re.Match[str], words: Lexicon) -> str:
    """What is chosen for the things said before: "choose pick-up or delivery"."""
    rest = found.string[found.end() :].strip(" ,.，。；")
    choices = "/".join(capital(found[name].strip()) for name in ("one", "other"))
    told = f"{words.words['ones']} ({HAS}{found['verb']}={choices})"
    return told + (f"\n{rest}" if rest else "")


def _with(text: str, words: Lexicon) -> str:
    """Several things that something has "with" it, each said in few words and most no block of an app themselves."""
    pattern = words.words.get("with_list")
    for found in re.finditer(pattern, text, re.I) if pattern else ():
        if re.search(r"[(（][^)）]*$", text[: found.start()]):
            continue
        start = max((each.end() for each in re.finditer(words.words["owner_starts"], text[: found.start()])), default=0)
        thing = text[start : found.start()].strip()
        tells = re.search(words.words["telling"], _BY_WHOM.sub("", text[: found.start()]), re.I)
        if tells or words.whole("articles", thing) or words.inside("label", text[start : found.start()]):
            continue
        listed, rest = _phrases(text[found.end() :], words)
        blocks = [each for each in listed if kind_of_block(each)]
        if len(listed) < 2 or 2 * len(blocks) > len(listed) or not 0 < len(thing.split()) <= MOST_OWNER + 2:
            continue
        noun = stripped(thing, words).split()[-1:]
        if noun and words.whole("holder", noun[0].lower()):
            continue
        if not noun or re.fullmatch(words.words["frame"], noun[0], re.I) or re.search(r"\d", thing):
            continue
        told = f"{text[: found.start()]} ({HAS}{', '.join(listed)})"
        return f"{told}\n{_with(rest, words)}" if rest else told
    return text


def _phrases(text: str, words: Lexicon) -> tuple[list[str], str]:
    """The short phrases without a verb that a text begins with, and what follows them."""
    text = text.strip().rstrip(".。;；!")
    kept: list[str] = []
    parts = items(text, words)
    place = 0
    plain_first = words.starts("articles", parts[0]) is None if parts else False
    for number, each in enumerate(parts):
        comma = re.search(r",\s*$", text[: text.find(each, place)]) is not None
        named = plain_first and number and comma and words.starts("articles", each) and words.language == "en"
        asks = words.spaced and words.starts("questions", each)
        plain = re.sub(_PRONOUN.get(words.language, "(?!)"), "", stripped(each, words), flags=re.I)
        plain = each if asks and words.whole("questions", plain) else plain
        spaced = plain.split()
        plain = each if spaced and words.spaced and words.whole("who", each.split()[0]) else plain
        if kept and spaced and _GOES_ON.match(each):
            kept[-1] = f"{kept[-1]} {each}"
        elif named or not plain or (_says_more(plain, each, words) and number):
            break
        elif _says_more(plain, each, words):
            return [], text
        else:
            kept.append(_with_choices(plain))
        place = text.find(each, place) + len(each)
    rest = re.sub(rf"^[\s,，、]*(?:(?:{words.words['and']})(?!\w))?\s*", "", text[place:], flags=re.I)
    return kept, rest


def _with_choices(text: str) -> str:
    """What a thing has, with what is chosen for it: the state of "state (new, old)"."""
    plain, listed = bracketed(text)
    return f"{plain}={'/'.join(map(capital, listed))}" if listed and plain else plain


def _says_more(plain: str, text: str, words: Lexicon) -> bool:
    """Whether a part is a clause or a whole statement, and no name of something that a thing has."""
    if not words.spaced:
        return len(plain) > 8 or (words.starts("verbs", plain) is not None and len(plain) > 4)
    plain = bracketed(plain)[0]
    parts = plain.split()
    article = words.starts("articles", text) is not None
    found = words.inside("modals", plain)
    if words.language == "en" and found and found.start():
        return True  # "and runners can enter a race"
    acts = not article and len(parts) > 1 and is_verb(parts[0], words) and words.language != "de"
    asks = words.starts("questions", text) or words.whole("who", text.split()[0])
    return len(parts) > MOST_WORDS or acts or (words.starts("modals", text) is not None and not asks)


def _owner(text: str, words: Lexicon) -> str:
    """What has something, in the plural where the language forms it by one letter."""
    noun = stripped(text, words)
    if not words.spaced:
        return noun
    if not 0 < len(noun.split()) <= MOST_OWNER or re.fullmatch(words.words["frame"], noun, re.I):
        return ""
    place = -1 if words.language == "en" else 0
    parts = noun.split()
    parts[place] = _plural(parts[place], words.language)
    return " ".join(parts)


def _plural(word: str, language: str) -> str:
    if language == "de" or word.endswith(("s", "x", "z")):
        return word
    if language == "en" and re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    if language == "es" and re.search(r"ión$", word):
        return f"{word[:-3]}iones"
    return word + (
        "es" if language == "es" and word[-1] not in "aeioué" else "es" if re.search(r"(?:ch|sh)$", word) else "s"
    )

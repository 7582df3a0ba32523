"""Records of a list: the names in a phrase, the examples that follow, and what a list is called that has them."""

import re

from loopwright.agents.pages.domain.brief_parts import is_bare
from loopwright.agents.pages.domain.features import LOOSE_KINDS, Feature, capital, kind_of_block, proper_names, titled
from loopwright.agents.pages.domain.grammar import Lexicon, Said, before_preposition, said, stripped
from loopwright.agents.pages.domain.roles import action_of
from loopwright.agents.pages.domain.sample_data import singular


def add_names(feature: Feature, core: str, app: str, words: Lexicon) -> bool:
    """The people and things that a phrase calls by name become the records of what it is about.

    Returns whether there are any, after which more may follow; the name of the `app` is none.
    """
    names = proper_names(core, words)
    alone = names and words.spaced and re.fullmatch(r"(?:[a-zà-ÿ'-]+ ){1,3}" + re.escape(names[0]), core)
    if feature.kind in ("list", "people") and names and (feature.verb or (alone and not app.startswith(names[0]))):
        feature.examples += [name for name in names if not app or name not in app]
        feature.kind = (
            "people" if re.search(r"(?:Dr|Prof|Mr|Mrs|Ms)\.", core) or words.inside("people", core) else feature.kind
        )
        cut = core.find(names[0])
        feature.title = titled(stripped(core[:cut], words), words)[0] or feature.title if cut > 0 else feature.title
        feature.noun = singular(stripped(core[:cut], words), words.language).split(" ")[-1] if cut > 0 else feature.noun
        return True
    return False


def rename_by_subject(feature: Feature, subject: str, words: Lexicon) -> None:
    """A list of what is borrowed or sold is called after what the app is about: the tools of a tool library."""
    noun, _ = before_preposition(subject, words)
    tail = noun.split()[-3:] if words.spaced else [noun]
    if noun:
        if not action_of(feature, words):
            feature.lines.insert(0, capital(feature.verb))
        feature.title = capital(" ".join(tail))
        feature.noun = words.words["labels"]["Entry"] if words.language != "en" else "Item"


def add_example(target: Feature, text: str, words: Lexicon) -> None:
    """One more thing of a list, with what is told of it after a preposition."""
    example, rest = before_preposition(stripped(text, words), words)
    if any(sign.isdigit() for sign in rest):
        example, rest = text, ""  # what it costs is told with it
    target.examples.append(example or text)
    if rest:
        target.lines.append(rest)


def asks_what(told: Said, words: Lexicon) -> bool:
    """Whether a verb's object is a clause: what they sow, and no thing."""
    after = told.text.partition(told.verb)[2].strip() if told.verb else ""
    return bool(after) and words.spaced and words.starts("questions", after) is not None


def goes_with_verb(text: str, verb: str, features: list[Feature], subject: str, words: Lexicon) -> bool:
    """Whether a noun phrase is one more object of the verb before it: "borrow drills, ladders and trimmers"."""
    last = features[-1] if features else None
    if last is None or last.verb != verb:
        return False
    if not words.whole("moving", verb):
        bare = is_bare(text, words)
        last.examples += [text] if bare else []
        return bare
    if kind_of_block(text) not in LOOSE_KINDS:
        return False
    if not last.examples:
        first, rest = before_preposition(said(last.text, words).object or last.text, words)
        last.examples.append(stripped(first, words))
        last.lines += [rest] if rest else []
        rename_by_subject(last, subject, words)
    add_example(last, text, words)
    return True

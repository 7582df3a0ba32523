"""How sure it is that a sentence states a requirement, and why."""

from dataclasses import dataclass, replace

from loopwright.agents.jobs.candidates.patterns import Grammar, Nature, grammar_of
from loopwright.agents.jobs.candidates.sentences import Sentence
from loopwright.agents.jobs.candidates.vocabulary import Language

SUREST = 0.99
CORROBORATION = 0.03
"""What each further pattern adds that would do by itself."""
ENOUGH = 0.6
INHERITED = 0.97
"""Of the lead-in's sureness goes over to an item that states nothing by itself."""
EXAMPLE = 0.2
"""What is taken away within an example: a duty may stand there, but mostly a story does."""
FEWEST_WORDS = 3
SHOWN_WORDS = 6
EMPHASIS = str.maketrans("", "", "*`")
"""Marks of Markdown, which may stand around single words."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """`indicator` are the words that state it, `reasons` the names of what spoke for and against."""

    confidence: float
    nature: Nature
    indicator: str
    reasons: tuple[str, ...]


def judge(sentence: Sentence, language: Language) -> Judgement | None:
    """The judgement on a sentence; None if no pattern is in it nor, for an item, in its lead-in.

    A lead-in is judged with its items, and not by itself.
    """
    if sentence.leads:
        return None
    grammar = grammar_of(language)
    own = _judged(sentence.text, grammar) if len(sentence.text.split()) >= FEWEST_WORDS else None
    if sentence.lead_in:
        inherited = _judged(sentence.lead_in, grammar)
        if inherited is not None and (own is None or own.confidence < inherited.confidence * INHERITED):
            reasons = (*inherited.reasons, "item of a list")
            own = replace(inherited, confidence=round(inherited.confidence * INHERITED, 2), reasons=reasons)
    if own is None or not sentence.example:
        return own
    confidence = max(round(own.confidence - EXAMPLE, 2), 0.0)
    return replace(own, confidence=confidence, reasons=(*own.reasons, "− in an example"))


def _judged(text: str, grammar: Grammar) -> Judgement | None:
    plain = text.translate(EMPHASIS)
    found = [(pattern, match) for pattern in grammar.patterns if (match := pattern.regex.search(plain))]
    if not found:
        return None
    best, match = max(found, key=lambda pair: pair[0].strength)
    others = [pattern for pattern, _ in found if pattern is not best and pattern.strength >= ENOUGH]
    confidence = best.strength + CORROBORATION * len(others)
    reasons = [pattern.name for pattern in (best, *others)]
    for doubt in grammar.doubts:
        if doubt.regex.search(plain) and not (doubt.unless and doubt.unless.search(plain)):
            confidence -= doubt.weight
            reasons.append(f"− {doubt.name}")
    sureness = round(min(max(confidence, 0.0), SUREST), 2)
    return Judgement(sureness, best.nature, _shortened(match[0]), tuple(reasons))


def _shortened(indicator: str) -> str:
    """The words that state it, without what stands between them."""
    words = indicator.split()
    return " ".join(words if len(words) <= SHOWN_WORDS else [words[0], "…", *words[-2:]])

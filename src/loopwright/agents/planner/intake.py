"""Is this a goal at all? What is none, or must not be helped with, is said before a run begins."""

import re
from datetime import date

from loopwright.kernel.errors import InvalidInput

EXAMPLE = "Say it like: learn Spanish to B1 by June, 5 hours a week."
MOST_READ = 10_000
_PERSON = (
    r"(?:(?:my|his|her|our|their|the|a|an|your) )?(?:\w+ )?"
    r"(?:neighbou?rs?|wife|husband|boss|mother|father|sister|brother|ex|girlfriend|boyfriend|colleagues?|classmates?"
    r"|teachers?|people|someone|somebody|everyone|everybody|him|her|them|woman|man|child|children|kids?|dogs?|cats?)\b"
)
HARM = re.compile(
    rf"\b(?:kill|murder|poison|stab|kidnap|blackmail|stalk|strangle|torture)(?:ing)? {_PERSON}"
    r"|\b(?:build|make|making|building|construct|assemble)(?: (?:a|an|my|some))? "
    r"(?:(?:pipe|nail|car|dirty|nuclear|home-?made) )?(?:bombs?|explosives?|nerve gas)\b"
    r"|\b(?:make|cook|sell)(?:ing)? (?:meth|crystal meth|heroin|cocaine|fentanyl)\b"
    r"|\b(?:rob|hold up) (?:a|the|my) (?:bank|shop|store|jeweller)",
    re.IGNORECASE,
)
SELF_HARM = re.compile(
    r"\b(?:kill(?:ing)? myself|end(?:ing)? (?:my (?:own )?life|it all)|suicide|hurt(?:ing)? myself"
    r"|harm(?:ing)? myself|starv(?:e|ing) myself)\b",
    re.IGNORECASE,
)
ABOUT_PREVENTION = re.compile(
    r"\b(?:prevent\w*|awareness|stop|avoid\w*|help\w*|novel|story|film|book|essay|research)\b", re.IGNORECASE
)
GREETING = re.compile(
    r"\W*(?:hi|hello|hey|help|thanks|thank you|good (?:morning|evening)|test|ping|ok|yes|no)\W*", re.IGNORECASE
)
QUESTION = re.compile(
    r"\s*(?:what|who|when|where|which|why|is|are|does|did|was|were)\b(?!.*\b(?:i|we|me|us|my|our)\b).*\?\s*",
    re.IGNORECASE,
)


UNTIL = re.compile(
    r"\b(?:by|until|till|before|no later than|bis)\s+(?:the\s+end\s+of\s+)?(?:\w+\s+){0,2}?"
    r"(?P<year>(?:19|20)\d{2})(?:-(?P<month>\d{2})-(?P<day>\d{2}))?\b",
    re.IGNORECASE,
)


def check_deadline(text: str, today: date) -> None:
    """Refuse a goal whose own words set a year or a day that is over.

    Raises:
        InvalidInput: naming it.
    """
    for match in UNTIL.finditer(text[:MOST_READ]):
        year, month, day = (int(part) if part else None for part in match.groups())
        over = (year, month, day) < (today.year, today.month, today.day) if month else (year or 0) < today.year
        if over:
            raise InvalidInput(
                f"“{match.group().strip()}” lies in the past.", hint="Give a day that is still to come, or none."
            )


def check_goal(text: str) -> None:
    """Refuse what is no goal, and what nobody should be helped to plan.

    The words that are known are English; in other languages a language model has to judge.

    Raises:
        InvalidInput: there are no words, only a greeting or a question, or somebody would be harmed.
    """
    read = text[:MOST_READ]
    if not any(char.isalpha() for char in read):
        raise InvalidInput("There are no words in this goal.", hint=EXAMPLE)
    if GREETING.fullmatch(read):
        raise InvalidInput(f"“{read.strip()[:40]}” is no goal yet.", hint=EXAMPLE)
    if QUESTION.fullmatch(read):
        raise InvalidInput("That is a question and no goal; I make plans.", hint=EXAMPLE)
    if ABOUT_PREVENTION.search(read):
        return
    if SELF_HARM.search(read):
        raise InvalidInput(
            "I will not plan this. If it is about you, please talk to somebody today: you need not be alone with it.",
            hint="findahelpline.com lists free, confidential lines in your country; in an emergency call 112 or 911.",
        )
    if HARM.search(read):
        raise InvalidInput("I will not plan what would harm somebody.", hint="Tell me about another goal.")

"""What is worth asking before a plan is made, with why, and with what is assumed when nobody answers."""

from dataclasses import dataclass

from loopwright.agents.planner.offline.family import Family


@dataclass(frozen=True)
class Question:
    """A question. `fact` names what it finds out; `default` is what the plan assumes without an answer."""

    id: str
    fact: str
    question: str
    why: str
    default: str


def questions_for(family: Family, known: set[str], *, unknown: bool = False) -> tuple[Question, ...]:
    """The open questions, the one that changes the plan most first; of an `unknown` goal that is what it means."""
    meaning = Question(
        id="meaning",
        fact="meaning",
        question="What will be there, or what will you be able to do, when the goal is reached?",
        why="I know no goals of this kind; a few more words make a plan of it that is worth having.",
        default="",
    )
    size = [
        Question(
            id="deadline",
            fact="deadline",
            question="By when do you want to be there?",
            why="The date decides how much fits in, and in which order.",
            default=f"{family.weeks} weeks from the start",
        ),
        Question(
            id="hours",
            fact="hours",
            question="How many hours a week can you really give to it?",
            why="A plan that fills more hours than you have fails in its second week.",
            default=f"{family.hours_per_week:g} hours a week",
        ),
    ]
    own = [
        Question(raw["id"], raw.get("fact", raw["id"]), raw["question"], raw["why"], raw["default"])
        for raw in family.questions
    ]
    days = Question(
        id="days",
        fact="days",
        question="Are there days or times of day that are ruled out?",
        why="What is planned on days you do not have moves everything behind it.",
        default="any day",
    )
    return tuple(
        question for question in [*([meaning] if unknown else []), *size, *own, days] if question.fact not in known
    )

"""What is to be reached: a level, a time, a sum, a number of things; and what it may cost."""

import re
from dataclasses import dataclass, field

from loopwright.agents.planner.offline.reading import Reading, number_of

SCALES = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000}


@dataclass(frozen=True)
class Money:
    """A sum; the currency is its ISO 4217 code."""

    amount: float
    currency: str

    def __str__(self) -> str:
        """`1,500 EUR`."""
        return f"{self.amount:,.0f} {self.currency}"


@dataclass
class Targets:
    """What the text wants reached. `facts` are numbers by what they count (`kg`, `words`, `books`)."""

    level: str | None = None
    target: str | None = None
    distance_km: float | None = None
    distance: str | None = None
    budget: Money | None = None
    sum: Money | None = None
    facts: dict[str, float] = field(default_factory=dict)


def read_targets(reading: Reading) -> Targets:
    """Find what is to be reached. Levels, times and budgets are taken; what may be the subject stays."""
    found = Targets()
    _read_budget(reading, found)
    _read_level(reading, found)
    _read_distance(reading, found)
    _read_counts(reading, found)
    return found


def _read_budget(reading: Reading, found: Targets) -> None:
    for name, pattern in [(n, p) for n in ("budgets", "money") for p in reading.language.patterns(n)]:
        match = pattern.search(reading.left)
        if match is None:
            continue
        amount = number_of(match["amount"], reading.language) * SCALES.get(match["scale"] or "", 1)
        reading.blank(match)
        if not amount < 1e12:
            reading.problems.append(f"“{reading.original(match)[:60]}” is no sum that I can plan with.")
            return
        money = Money(amount, reading.language.table("currencies")[match["sign"]])
        if name == "budgets":
            found.budget = money
        else:
            found.sum = money
        return


def _read_level(reading: Reading, found: Targets) -> None:
    targets = reading.language.table("targets")
    for name in ("cefr", "fluency"):
        match = reading.take(targets[name])
        if match is not None:
            level = match["level"]
            found.level = level.upper() if name == "cefr" else level
            return
    match = reading.take(targets["score"])
    if match is not None:
        found.level = match[0].strip()


def _read_distance(reading: Reading, found: Targets) -> None:
    distances = reading.language.table("distances")
    words = "|".join(re.escape(word) for word in sorted(distances, key=len, reverse=True))
    match = reading.find(rf"\b({words})\b")
    if match is None:
        return
    found.distance, found.distance_km = match[1].replace(" k", "k"), distances[match[1]]
    targets = reading.language.table("targets")
    time = reading.take(targets["race_time"]) or reading.take(targets["sub_number"])
    if time is not None:
        unit = "" if re.search(r"[a-z:]", time["time"]) else " hours"
        found.target = f"under {time['time'].strip()}{unit}"


def _read_counts(reading: Reading, found: Targets) -> None:
    targets = reading.language.table("targets")
    change = reading.take(targets["weight_change"])
    if change is not None:
        amount = number_of(change["amount"], reading.language)
        unit = "kg" if change["unit"].startswith("k") else "lb" if change["unit"].startswith(("lb", "p")) else "stone"
        found.target, found.facts[unit] = f"{change['verb']} {amount:g} {unit}", amount
        kilos = amount * {"kg": 1.0, "lb": 0.4536, "stone": 6.35}[unit]
        if kilos > 60:
            reading.problems.append(f"{amount:g} {unit} is more than a plan without a doctor should promise.")
    span = reading.take(targets["weight_range"])
    if span is not None:
        found.target = f"from {span['from']} to {span['to']} {span['unit']}"
        found.facts["kg"] = abs(float(span["from"]) - float(span["to"]))
    lift = reading.find(targets["lift"])
    if lift is not None:
        found.target = f"{lift['lift']} {lift['amount']} {lift['unit']}"
    for name in ("words", "count"):
        match = reading.find(targets[name])
        if match is not None:
            amount = number_of(match["amount"], reading.language) * (1_000 if match["scale"] else 1)
            if amount < 1e9:
                found.facts[match["unit"]] = amount
                found.target = found.target or f"{amount:,.0f} {match['unit']}"

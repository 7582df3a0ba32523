"""The formula of a page that calculates: made by code in usual cases, else the model's; checked before it is used."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from loopwright.agents.pages.domain.entering import (
    AREA,
    AREA_ITSELF,
    EACH,
    LESS,
    NUMBER_OF,
    PAID,
    PER,
    RATE,
    SHARE,
    SHARE_ITSELF,
    SIDE,
    Asked,
    Input,
)
from loopwright.agents.pages.domain.proposal import Line, Short

_DECIMAL = (0.01, 0.5, 1, 2, 5, 7, 9, 10, 12, 24, 32, 52, 60, 100, 365, 1000)
_FREE = frozenset((*_DECIMAL, 1.8, 2.54, 0.3048, 1.609, 1.609344, 0.4536, 2.2046, 3.6))
"""Numbers of the decimal system, the clock, the calendar and of units, which no brief has to give."""
STEM = 3
_RATES = (
    re.compile(
        rf"\d+(?:[.,]\d+)?\s+(?P<much>[^\W\d]+(?:\s[^\W\d]+)?)\s+{PER.pattern}\s+(?:(?:1|one|eine?[nmrs]?)\s+)?"
        r"(?P<unit>[^\W\d]+)",
        re.I,
    ),
    re.compile(
        r"\b(?:1|one|an?|each|every|eine?[nmrs]?|jede[rsnm]?)\s+(?P<unit>[^\W\d]+)\s+(?:[^\W\d]+\s+){0,4}?"
        r"\d+(?:[.,]\d+)?\s+(?P<much>[^\W\d]+(?:\s[^\W\d]+)?)",
        re.I,
    ),
)
"""How much of something there is for one unit of another."""
_LONG = re.compile(r"[^\W\d_]{3,}")
_CALLS = ("ceil", "floor", "round", "min", "max")
_NODES = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.Constant,
    ast.Name,
    ast.Call,
    ast.Load,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.Pow,
    ast.USub,
)


@dataclass(frozen=True)
class Calculation:
    """A calculation that can be shown: `script` is its formula in JavaScript over `v`, `told` the same in words."""

    inputs: tuple[Input, ...]
    result: str
    script: str
    told: str


class Formula(BaseModel):
    """What the model answers."""

    model_config = ConfigDict(extra="forbid")

    inputs: list[Short]
    result: Short
    formula: Line


def names_of(inputs: Sequence[Input]) -> str:
    """The inputs as the model is told of them."""
    return ", ".join(
        f"{each.name} (one of {', '.join(each.choices)})" if each.choices else each.name for each in inputs
    )


def usual_formula(asked: Asked, brief: str) -> str:
    """The formula where what is said leaves no other: shares added or taken off, split up, at a rate; else empty."""
    shares = [each.name for each in asked.inputs if SHARE.search(f"{each.label} {each.unit}")]
    counts = [each.name for each in asked.inputs if each.name not in shares and NUMBER_OF.search(each.label)]
    amounts = [each for each in asked.inputs if each.name not in (*shares, *counts)]
    if len(amounts) == 1 and len(shares) <= 1 and len(counts) <= 1 and (shares or counts) and not asked.given:
        return _paid(amounts[0].name, shares, counts, asked.result, brief)
    numbers = [number for number in asked.given if number != 1]
    if len(numbers) == 1 and (len(asked.inputs) == 1 or _is_area(asked.inputs, brief)):
        return _converted(asked.inputs, numbers[0], brief)
    if not numbers and AREA_ITSELF.search(asked.result) and len(asked.inputs) == 2 and _is_sides(asked.inputs):
        return " * ".join(each.name for each in asked.inputs)
    return _chained(asked) if not shares else ""


def _chained(asked: Asked) -> str:
    """The product of what is given per something with that something: kilometres, litres per km, price per litre."""
    plain = [each for each in asked.inputs if not PER.search(each.label)]
    rates = [(each, PER.split(each.label, maxsplit=1)) for each in asked.inputs if each not in plain]
    if len(plain) != 1 or not rates:
        return ""
    heads = [plain[0].label, *(parts[0] for _, parts in rates)]
    if not all(any(_same_thing(parts[1], head) for head in heads if head != parts[0]) for _, parts in rates):
        return ""
    numbers = [number for _, parts in rates for number in re.findall(r"\d+(?:\.\d+)?", parts[1])]
    if sorted(map(float, numbers)) != sorted(asked.given):
        return ""
    return " * ".join([plain[0].name, *(each.name for each, _ in rates)]) + "".join(
        f" / {number}" for number in numbers
    )


def _paid(amount: str, shares: Sequence[str], counts: Sequence[str], result: str, brief: str) -> str:
    pays = PAID.search(result) is not None
    if shares and not pays and not SHARE_ITSELF.search(result):
        return ""
    if shares:
        sign = "-" if LESS.search(brief) else "+"
        amount = f"{amount} * (1 {sign} {shares[0]} / 100)" if pays else f"{amount} * {shares[0]} / 100"
    if counts and EACH.search(result):
        return f"{amount} / {counts[0]}"
    if counts:
        return f"{amount} * {counts[0]}" if pays else ""
    return amount


def _converted(entered: Sequence[Input], rate: float, brief: str) -> str:
    """An amount at the one rate that the brief gives: "1.15 euros per pound", "1 mile is 1.6 km"."""
    amount = " * ".join(each.name for each in entered)
    label = entered[0].label if len(entered) == 1 else "square quadratmeter"
    given = next((found for pattern in _RATES for found in pattern.finditer(brief)), None)
    if given and _same_thing(given["unit"], label):
        return f"{amount} * {rate:g}"
    if given and _same_thing(given["much"], label):
        return f"{amount} / {rate:g}"
    return f"{amount} * {rate:g}" if not given and RATE.search(brief) else ""


def _is_area(inputs: Sequence[Input], brief: str) -> bool:
    """Whether two sides of something are entered, and a rate is for an area."""
    return len(inputs) == 2 and _is_sides(inputs) and bool(AREA.search(brief))


def _is_sides(inputs: Sequence[Input]) -> bool:
    return all(SIDE.search(each.label) for each in inputs)


def _same_thing(one: str, other: str) -> bool:
    """Whether two texts name the same thing, by the beginnings of their words."""
    return bool(
        {word[:STEM] for word in _LONG.findall(one.lower())} & {word[:STEM] for word in _LONG.findall(other.lower())}
    )


def checked_formula(text: str, asked: Asked, brief: str) -> Calculation | str:
    """The calculation, or what is wrong with the formula."""
    inputs, given = asked.inputs, asked.given
    plain = text.rpartition("=")[2].replace("×", "*").replace("÷", "/").replace("^", "**").replace("Math.", "").strip()
    try:
        tree = ast.parse(plain, mode="eval")
    except (SyntaxError, ValueError):
        return f"“{text}” is no formula. Write one expression with + - * / and the names."
    nodes = list(ast.walk(tree))
    strange = [node for node in nodes if not isinstance(node, _NODES)]
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    used = {node.id for node in nodes if isinstance(node, ast.Name)} - called
    numbers = [node.value for node in nodes if isinstance(node, ast.Constant)]
    names = [each.name for each in inputs]
    if strange or not called <= set(_CALLS) or not all(isinstance(number, (int, float)) for number in numbers):
        return "Use only + - * / ( ), numbers and the names."
    if used != set(names):
        return f"Use each of these names and no other: {', '.join(names)}."
    figures = {float(number) for number in numbers if isinstance(number, (int, float))}
    if lacking := [number for number in given if number not in figures and number != 1]:
        return f"The formula has to use {', '.join(f'{number:g}' for number in lacking)}."
    if made_up := figures - set(given) - _FREE:
        return f"Nobody gave {', '.join(f'{number:g}' for number in made_up)}."
    wrong = _implausible(tree, asked, brief)
    return wrong or Calculation(inputs, asked.result, _script(tree, names), _told(tree, inputs))


def _implausible(tree: ast.Expression, asked: Asked, brief: str) -> str:
    """What is wrong with the values that the formula gives; empty where nothing was found."""
    figures = {float(node.value) for node in ast.walk(tree) if isinstance(node, ast.Constant)}  # type: ignore[arg-type]
    start = {each.name: float((each.choices or ("6",))[0].replace(",", ".")) for each in asked.inputs}

    def at(**changed: float) -> float:
        return _value(tree.body, {**start, **changed})

    try:
        base = at()
        twice = {name: at(**{name: value * 2}) for name, value in start.items()}
        shares = [each.name for each in asked.inputs if SHARE.search(f"{each.label} {each.unit}")]
        for name in shares:
            none = at(**{name: 0.0})
            even = abs((twice[name] - base) - (base - none)) < 1e-9 * max(1.0, abs(base))
            if not even or not figures & {100.0, 0.01}:
                return f"{name} is a percentage: amount * (1 + {name} / 100), or amount * {name} / 100."
            if PAID.search(asked.result) and none <= 0:
                return f"At 0 percent something is to be paid: amount * (1 + {name} / 100)."
            if (twice[name] < base) is not bool(LESS.search(brief)):
                return f"{name} is {'taken off' if LESS.search(brief) else 'added'}."
    except (ZeroDivisionError, OverflowError):
        return "The formula divides by zero."
    if still := [name for name, value in twice.items() if value == base]:
        return f"{', '.join(still)} changes nothing in it."
    counts = [each.name for each in asked.inputs if NUMBER_OF.search(each.label) and each.name not in shares]
    if EACH.search(asked.result) and len(counts) == 1 and twice[counts[0]] >= base > 0:
        return f"The result is for each one: divide by {counts[0]}."
    return ""


def _value(node: ast.expr, values: dict[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.UnaryOp):
        return -_value(node.operand, values)
    if isinstance(node, ast.Call):  # rounding changes nothing of how a value depends on another
        return sum(_value(each, values) for each in node.args)
    if not isinstance(node, ast.BinOp):
        return 0.0
    left, right = _value(node.left, values), _value(node.right, values)
    if isinstance(node.op, ast.Add):
        return left + right
    if isinstance(node.op, ast.Sub):
        return left - right
    if isinstance(node.op, ast.Pow):
        return float(left**right)
    return left * right if isinstance(node.op, ast.Mult) else left / right


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str], calls: str) -> None:
        self.names, self.calls = names, calls

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        arguments = [self.visit(each) for each in node.args]
        return ast.Call(ast.Name(f"{self.calls}{name}"), arguments, [])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.names[node.id])


def _script(tree: ast.Expression, names: Sequence[str]) -> str:
    places = {name: f"v[{at}]" for at, name in enumerate(names)}
    return ast.unparse(_Renamed(places, "Math.").visit(ast.parse(ast.unparse(tree), mode="eval")))


def _told(tree: ast.Expression, inputs: Sequence[Input]) -> str:
    text = ast.unparse(tree)
    for each in sorted(inputs, key=lambda one: -len(one.name)):
        text = re.sub(rf"\b{re.escape(each.name)}\b", each.label, text)
    return text.replace("**", "^").replace("*", "×").replace("/", "÷")

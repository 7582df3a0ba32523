"""Reading `<ide_reasoning>` blocks: format, quality, and the outcome that travels on (spec 002, 4)."""

import re

from loopwright.agents.ide.contracts.reasoning import SECTIONS, Reasoning, ReasoningOutcome

BLOCK = re.compile(r"<\s*ide_reasoning\b[^>]*>(.*?)(?:<\s*/\s*ide_reasoning\s*>|\Z)", re.DOTALL | re.IGNORECASE)
TAG = re.compile(r"<\s*(?P<end>/?)\s*ide_reasoning\b[^>]*(?:>|\Z)", re.IGNORECASE)
ECHO = re.compile(
    r"^[^\S\n]*ReasoningOutcome:[^\S\n]*\n(?:[^\S\n]*(?:plan_delta|next_action|known_risks|delivery_state):[^\n]*(?:\n|\Z))*",
    re.MULTILINE,
)
"""An outcome that a model writes itself would pass for ours in later requests."""
SECTION = re.compile(rf"^\W*({'|'.join(SECTIONS)})\b\W*?:\s*", re.MULTILINE | re.IGNORECASE)
BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+(.+)$", re.MULTILINE)
LABEL = re.compile(r"^\W*(outcome|happened|next|why|risks?|plan|delivery)\W*:\s*(.+)$", re.IGNORECASE)
PLACEHOLDER = re.compile(
    r"\b(?:todo|tbd|n/?a|lorem ipsum|placeholder|fill in|to be determined)\b|\.\.\.|…|<[^>]{1,40}>", re.IGNORECASE
)
DELIVERY = re.compile(r"^\W*(DONE|NEEDS_WORK)\b")
SHORTEST_SECTION = 6
CONCRETE_SECTIONS = 2
FEWEST_BULLETS, MOST_BULLETS = 3, 8
LONGEST_OUTCOME = 300

FORMAT = "conversation_flow/delivery_gate/reasoning_format_correction"
LOW_QUALITY = "conversation_flow/delivery_gate/low_quality_reasoning"


def without_reasoning(text: str) -> str:
    """The text without reasoning and without outcomes that were written by hand.

    Blocks may stand in blocks; one that never ends goes to the end of the text, and what stands before an end without a
    beginning is reasoning too: what is in doubt does not travel on.
    """
    kept: list[str] = []
    depth, place = 0, 0
    for tag in TAG.finditer(text):
        if depth == 0:
            kept.append(text[place : tag.start()])
        if not tag["end"]:
            depth += 1
        elif depth:
            depth -= 1
        else:
            kept.clear()
        place = tag.end()
    if depth == 0:
        kept.append(text[place:])
    return ECHO.sub("", "".join(kept)).strip()


def read_macro(text: str) -> Reasoning | str:
    """The macro block of a text, or the name of the correction that it needs.

    All six sections in order, without code blocks; Delivery begins with DONE or NEEDS_WORK; at least two sections say
    something, and none is a placeholder.
    """
    block = _block(text)
    if block is None or "```" in block:
        return FORMAT
    parts = SECTION.split(block)
    names = [name.capitalize() for name in parts[1::2]]
    if names != list(SECTIONS):
        return FORMAT
    sections = dict(zip(names, (part.strip() for part in parts[2::2]), strict=True))
    state = DELIVERY.match(sections["Delivery"])
    if state is None:
        return FORMAT
    said = [sections[name] for name in SECTIONS[:-1]]
    concrete = [part for part in said if len(part) >= SHORTEST_SECTION and not PLACEHOLDER.search(part)]
    if len(concrete) < CONCRETE_SECTIONS or any(PLACEHOLDER.fullmatch(part.strip(" .")) for part in said if part):
        return LOW_QUALITY
    outcome = ReasoningOutcome(
        plan_delta=_short(sections["Plan"]),
        next_action=_short(sections["Action"]),
        known_risks=_short(sections["Reflect"]),
        delivery_state="NEEDS_WORK" if "NEEDS_WORK" in sections["Delivery"] else "DONE",
    )
    return Reasoning(format="macro", text=block, outcome=outcome)


def read_micro(text: str) -> Reasoning | str:
    """The micro block of a text, or the name of the correction that it needs.

    Three to eight bullets that say what happened (Outcome), what comes next (Next) and why (Why); Risk, Plan and
    Delivery are optional.
    """
    block = _block(text)
    if block is None or "```" in block:
        return FORMAT
    bullets = BULLET.findall(block)
    if not FEWEST_BULLETS <= len(bullets) <= MOST_BULLETS:
        return FORMAT
    labelled: dict[str, str] = {}
    for bullet in bullets:
        match = LABEL.match(bullet)
        if match:
            labelled.setdefault(_canonical(match[1]), match[2].strip())
    if not {"outcome", "next", "why"} <= set(labelled):
        return FORMAT
    if any(len(labelled[name]) < SHORTEST_SECTION or PLACEHOLDER.search(labelled[name]) for name in ("next", "why")):
        return LOW_QUALITY
    delivery = labelled.get("delivery", "NEEDS_WORK")
    outcome = ReasoningOutcome(
        plan_delta=_short(labelled.get("plan", "unchanged")),
        next_action=_short(labelled["next"]),
        known_risks=_short(labelled.get("risk", "none named")),
        delivery_state="DONE" if delivery.upper().startswith("DONE") else "NEEDS_WORK",
    )
    return Reasoning(format="micro", text=block, outcome=outcome)


def _block(text: str) -> str | None:
    match = BLOCK.search(text)
    return match[1].strip() if match and match[1].strip() else None


def _canonical(label: str) -> str:
    name = label.lower()
    return {"happened": "outcome", "risks": "risk"}.get(name, name)


def _short(text: str) -> str:
    """One line: it stands in every later request."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_OUTCOME else line[: LONGEST_OUTCOME - 1] + "…"

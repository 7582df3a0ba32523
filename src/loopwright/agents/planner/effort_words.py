"""How long and how often work is done, in words."""

import re
from typing import Any

from loopwright.agents.planner.contracts.plan import PlanNode

RULE_PART = re.compile(r"(?:^|;)(FREQ|INTERVAL|BYDAY)=([^;]+)")
UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
EVERY = {"DAILY": "daily", "WEEKLY": "weekly", "MONTHLY": "monthly", "YEARLY": "yearly"}


def duration_words(minutes: int) -> str:
    """`1 h 15 min`."""
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours and rest else f"{hours} h" if hours else f"{rest} min"


def frequency_words(node: PlanNode) -> str:
    """`6 times a week`, `every 2 weeks`, `monthly`; nothing for what is done once."""
    rule: Any = node.metadata.get("rrule")
    parts = dict(RULE_PART.findall(rule.upper())) if isinstance(rule, str) else {}
    frequency = parts.get("FREQ", "")
    if frequency not in UNITS:
        return "" if node.recurrence == "none" else node.recurrence
    days = len(parts.get("BYDAY", "").split(",")) if parts.get("BYDAY") else 1
    interval = int(parts["INTERVAL"]) if parts.get("INTERVAL", "1").isdecimal() and "INTERVAL" in parts else 1
    if interval > 1:
        return f"every {interval} {UNITS[frequency]}s" + (f", {days} days" if days > 1 else "")
    if frequency == "WEEKLY" and days == 7:
        return "daily"
    return f"{days} times a week" if frequency == "WEEKLY" and days > 1 else EVERY[frequency]


def effort_words(node: PlanNode) -> str:
    """`15 min, 6 times a week`; nothing for what has no estimate and does not recur."""
    minutes = node.metadata.get("estimated_minutes")
    known = [duration_words(minutes)] if isinstance(minutes, int) and minutes > 0 else []
    return ", ".join([*known, *([often] if (often := frequency_words(node)) else [])])

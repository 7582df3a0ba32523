"""The results as tables: a line for each case, and one for each agent."""

from typing import Any


def table(records: list[dict[str, Any]]) -> str:
    """Markdown."""
    agents = list(dict.fromkeys(record["agent"] for record in records))
    lines = [
        "| agent | cases | done | told | not done | false done | facts | calls | prompt | answer | CPU s |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [_sum(agent, [record for record in records if record["agent"] == agent]) for agent in agents]
    lines += [
        "",
        "| case | verdict | facts | calls | prompt | answer | CPU s | wall s | why |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [_line(record) for record in records]
    return "\n".join(lines) + "\n"


def _sum(agent: str, records: list[dict[str, Any]]) -> str:
    verdicts = [
        sum(record["verdict"] == kind for record in records) for kind in ("done", "told", "not done", "false done")
    ]
    held, asked = sum(record["held"] for record in records), sum(record["asked"] for record in records)
    sums = [sum(record[name] for record in records) for name in ("calls", "prompt", "answer")]
    cpu = sum(record["cpu_seconds"] for record in records)
    cells = [agent, len(records), *verdicts, f"{held} of {asked}", *sums, f"{cpu:.0f}"]
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _line(record: dict[str, Any]) -> str:
    why = " ".join("; ".join(record["reasons"])[:160].replace("|", "/").split())
    numbers = [record["calls"], record["prompt"], record["answer"], record["cpu_seconds"], record["seconds"]]
    cells = [
        f"{record['agent']} {record['case']}",
        record["verdict"],
        f"{record['held']}/{record['asked']}",
        *numbers,
        why,
    ]
    return f"| {' | '.join(str(cell) for cell in cells)} |"

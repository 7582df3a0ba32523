"""Write a plan's exports into a folder."""

from collections.abc import Callable, Iterable
from pathlib import Path

from loopwright.agents.planner.contracts import PlanOutline, Roadmap, Schedule
from loopwright.agents.planner.exports.gantt import write_mermaid
from loopwright.agents.planner.exports.ics import write_ics
from loopwright.agents.planner.exports.json_plan import write_json
from loopwright.agents.planner.exports.markdown import write_markdown
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.whole_files import write_whole

FILES = {"ics": "plan.ics", "markdown": "plan.md", "gantt": "plan.mmd", "json": "plan.json"}
NEED_A_SCHEDULE = {"ics", "gantt"}
FORMATS = tuple(FILES)


def export_plan(
    folder: Path,
    outline: PlanOutline,
    roadmap: Roadmap | None = None,
    schedule: Schedule | None = None,
    formats: Iterable[str] = FORMATS,
) -> dict[str, str]:
    """Write the plan; each file is at every moment the old one or the new one, whole.

    Args:
        folder: made where it is missing.
        outline: what is to be done.
        roadmap: the order, if there is one yet.
        schedule: the dates, if there are any yet; `ics` and `gantt` need them.
        formats: of `ics`, `markdown`, `gantt`, `json`.

    Returns:
        The path of each format's file.

    Raises:
        InvalidInput: an unknown format or zone, no schedule: nothing is written; or a folder that cannot be written.
    """
    texts = {name: _text(name, outline, roadmap, schedule) for name in dict.fromkeys(formats)}
    try:
        return {name: str(write_whole(folder / FILES[name], text.encode())) for name, text in texts.items()}
    except OSError as error:
        raise InvalidInput(
            f"The plan cannot be written to {folder}: {error.strerror}.", hint="Name another folder."
        ) from error


def _text(name: str, outline: PlanOutline, roadmap: Roadmap | None, schedule: Schedule | None) -> str:
    if name not in FILES:
        raise InvalidInput(f"There is no export format {name[:40]!r}.", hint=f"The formats are {', '.join(FORMATS)}.")
    if name in NEED_A_SCHEDULE and schedule is None:
        raise InvalidInput(
            f"The format {name} needs a schedule, the plan has none yet.", hint="Schedule the plan first."
        )
    dates = schedule or Schedule()
    writers: dict[str, Callable[[], str]] = {
        "ics": lambda: write_ics(outline, dates),
        "markdown": lambda: write_markdown(outline, roadmap, schedule),
        "gantt": lambda: write_mermaid(outline, dates),
        "json": lambda: write_json(outline, roadmap, schedule),
    }
    return writers[name]()

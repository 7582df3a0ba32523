"""Write a plan's exports into a folder."""

import subprocess
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from loopwright.agents.planner.contracts import PlanOutline, Roadmap, Schedule
from loopwright.agents.planner.exports.calendar_file import write_ics
from loopwright.agents.planner.exports.data import write_csv, write_json
from loopwright.agents.planner.exports.markdown import write_markdown
from loopwright.agents.planner.exports.mermaid import write_mermaid
from loopwright.agents.planner.exports.pictures import write_html, write_svg
from loopwright.agents.planner.exports.projects import write_mspdi, write_taskjuggler
from loopwright.kernel.errors import InvalidInput
from loopwright.kernel.files import write_whole
from loopwright.kernel.programs import find_browser

FILES = {
    "ics": "plan.ics",
    "markdown": "plan.md",
    "gantt": "plan.mmd",
    "json": "plan.json",
    "html": "plan.html",
    "svg": "plan.svg",
    "png": "plan.png",
    "csv": "plan.csv",
    "taskjuggler": "plan.tjp",
    "msproject": "plan.xml",
}
WITHOUT_DATES = ("markdown", "json")
"""Formats that a plan without a schedule has."""
FORMATS = tuple(FILES)
USUAL = ("ics", "markdown", "gantt", "json", "html", "svg")
"""What is written where nobody asks for a format."""


def export_plan(
    folder: Path,
    outline: PlanOutline,
    roadmap: Roadmap | None = None,
    schedule: Schedule | None = None,
    formats: Iterable[str] = USUAL,
    now: datetime | None = None,
) -> dict[str, str]:
    """Write the plan; each file is at every moment the old one or the new one, whole.

    Args:
        folder: made where it is missing. A calendar file that lies there is what the new one is a change of.
        outline: what is to be done.
        roadmap: the order, if there is one yet.
        schedule: the dates, if there are any yet; all formats but `markdown` and `json` need them.
        formats: of `FORMATS`.
        now: the moment of writing (aware), by default the present.

    Returns:
        The path of each format's file.

    Raises:
        InvalidInput: an unknown format or zone, no schedule, no browser for a PNG: nothing is written; or a folder that
            cannot be written.
    """
    contents = {name: _content(name, folder, outline, roadmap, schedule, now) for name in dict.fromkeys(formats)}
    try:
        return {name: str(write_whole(folder / FILES[name], content)) for name, content in contents.items()}
    except OSError as error:
        raise InvalidInput(
            f"The plan cannot be written to {folder}: {error.strerror}.", hint="Name another folder."
        ) from error


def _content(
    name: str,
    folder: Path,
    outline: PlanOutline,
    roadmap: Roadmap | None,
    schedule: Schedule | None,
    now: datetime | None,
) -> bytes:
    if name not in FILES:
        raise InvalidInput(f"There is no export format {name[:40]!r}.", hint=f"The formats are {', '.join(FORMATS)}.")
    if name not in WITHOUT_DATES and schedule is None:
        raise InvalidInput(
            f"The format {name} needs a schedule, the plan has none yet.", hint="Schedule the plan first."
        )
    dates, plan = schedule or Schedule(), roadmap or outline
    if name == "png":
        return draw_png(write_svg(plan, dates))
    writers: dict[str, Callable[[], str]] = {
        "ics": lambda: write_ics(outline, dates, before=_written(folder / FILES["ics"]), now=now),
        "markdown": lambda: write_markdown(outline, roadmap, schedule),
        "gantt": lambda: write_mermaid(outline, dates),
        "json": lambda: write_json(outline, roadmap, schedule),
        "html": lambda: write_html(plan, dates),
        "svg": lambda: write_svg(plan, dates),
        "csv": lambda: write_csv(plan, dates),
        "taskjuggler": lambda: write_taskjuggler(plan, dates),
        "msproject": lambda: write_mspdi(plan, dates),
    }
    return writers[name]().encode()


def _written(path: Path) -> str | None:
    """What the folder's calendar file holds, where there is one."""
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None  # nothing of ours lies there that could be changed


# The picture as PNG: a browser draws the SVG.

DRAWING_SECONDS = 60.0


def draw_png(svg: str) -> bytes:
    """An SVG as a PNG of its own size, drawn by the browser of this machine, without any network.

    Raises:
        InvalidInput: there is no browser, or it drew nothing.
    """
    browser = find_browser()
    if browser is None:
        hint = "Take the format svg, or install chromium."
        raise InvalidInput("A picture as PNG is drawn by a browser, and none is installed.", hint=hint)
    size = [svg.partition(f'{name}="')[2].partition('"')[0] for name in ("width", "height")]
    with TemporaryDirectory() as folder:
        page, picture = Path(folder) / "plan.html", Path(folder) / "plan.png"
        drawing = svg.partition("?>")[2]
        page.write_text(f'<!doctype html><meta charset="utf-8"><body style="margin:0">{drawing}', encoding="utf-8")
        command = [str(browser), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder}/profile"]
        command += [f"--window-size={','.join(size)}", f"--screenshot={picture}", page.as_uri()]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=DRAWING_SECONDS)
            return picture.read_bytes()
        except (subprocess.SubprocessError, OSError) as error:
            raise InvalidInput(f"{browser.name} drew no picture: {error}", hint="Take the format svg.") from error

"""Plans as files for people and for other programs."""

from loopwright.agents.planner.exports.calendar_file import write_ics
from loopwright.agents.planner.exports.data import write_csv, write_json
from loopwright.agents.planner.exports.files import FILES, FORMATS, USUAL, draw_png, export_plan
from loopwright.agents.planner.exports.markdown import escaped, write_markdown
from loopwright.agents.planner.exports.mermaid import KEYWORD, MOST_BARS, sanitised, write_mermaid
from loopwright.agents.planner.exports.pictures import write_html, write_svg
from loopwright.agents.planner.exports.projects import write_mspdi, write_taskjuggler
from loopwright.agents.planner.exports.reading import phase_titles, plan_title, walk_nodes

__all__ = [
    "FILES",
    "FORMATS",
    "KEYWORD",
    "MOST_BARS",
    "USUAL",
    "draw_png",
    "escaped",
    "export_plan",
    "phase_titles",
    "plan_title",
    "sanitised",
    "walk_nodes",
    "write_csv",
    "write_html",
    "write_ics",
    "write_json",
    "write_markdown",
    "write_mermaid",
    "write_mspdi",
    "write_svg",
    "write_taskjuggler",
]

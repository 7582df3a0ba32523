"""The tools of the planner: the thirteen of spec 004, and small ones that build an outline part by part."""

from loopwright.agents.planner.tools.executor import PlannerTool
from loopwright.agents.planner.tools.options import Brainstormer, ChooseWay, OptionCrafter, PatternSelector
from loopwright.agents.planner.tools.questions import ApprovalHandler, ContextElicitor, PortfolioProbe, PreferenceProbe
from loopwright.agents.planner.tools.roadmap import DependencyResolver, GrammarValidator, NodeGenerator, RoadmapBuilder
from loopwright.agents.planner.tools.schedule_generator import ScheduleGenerator
from loopwright.agents.planner.tools.sketching import AddEvent, AddSessions, AddTasks, Finished, SetParts
from loopwright.agents.planner.tools.summarizer import Summarizer
from loopwright.kernel.tools import AnyTool

__all__ = ["PlannerTool", "all_tools"]


def all_tools() -> tuple[AnyTool, ...]:
    """The tools in the order in which the model sees them."""
    return (
        PatternSelector(),
        ContextElicitor(),
        PreferenceProbe(),
        SetParts(),
        AddTasks(),
        AddSessions(),
        AddEvent(),
        Finished(),
        NodeGenerator(),
        ChooseWay(),
        GrammarValidator(),
        DependencyResolver(),
        RoadmapBuilder(),
        ScheduleGenerator(),
        PortfolioProbe(),
        ApprovalHandler(),
        OptionCrafter(),
        Brainstormer(),
        Summarizer(),
    )

"""The thirteen tools of the planner (spec 004, 5): one file each, beside it the text that the model reads."""

from loopwright.agents.planner.tools.approval_handler import ApprovalHandler
from loopwright.agents.planner.tools.brainstormer import Brainstormer
from loopwright.agents.planner.tools.context_elicitor import ContextElicitor
from loopwright.agents.planner.tools.dependency_resolver import DependencyResolver
from loopwright.agents.planner.tools.executor import PlannerTool
from loopwright.agents.planner.tools.grammar_validator import GrammarValidator
from loopwright.agents.planner.tools.node_generator import NodeGenerator
from loopwright.agents.planner.tools.option_crafter import OptionCrafter
from loopwright.agents.planner.tools.pattern_selector import PatternSelector
from loopwright.agents.planner.tools.portfolio_probe import PortfolioProbe
from loopwright.agents.planner.tools.preference_probe import PreferenceProbe
from loopwright.agents.planner.tools.roadmap_builder import RoadmapBuilder
from loopwright.agents.planner.tools.schedule_generator import ScheduleGenerator
from loopwright.agents.planner.tools.summarizer import Summarizer
from loopwright.kernel.registry import AnyTool

__all__ = ["PlannerTool", "all_tools"]


def all_tools() -> tuple[AnyTool, ...]:
    """The tools in the order in which the model sees them."""
    return (
        PatternSelector(),
        ContextElicitor(),
        PreferenceProbe(),
        NodeGenerator(),
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

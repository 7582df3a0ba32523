"""No tools: the model only proposes, by its directive; patches and runs are the controller's, behind their gates."""

from loopwright.kernel.tools import AnyTool


def all_tools() -> tuple[AnyTool, ...]:
    """The tools that the model may call: none."""
    return ()

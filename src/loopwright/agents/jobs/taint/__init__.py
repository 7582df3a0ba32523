"""Text of documents and the web is tainted: data for the model, no instructions, and no memory without its source.

Who gives such text to the model files it (`remember`) and wraps it (`as_data`). Who writes what is pinned into every
prompt (workspace.md, main_plan.md, instructions.md, the todos) asks `require_provenance` first, with the whole text
that would stand there afterwards.
"""

from loopwright.agents.jobs.taint.data import as_data, excerpt, inert
from loopwright.agents.jobs.taint.provenance import Passage, require_provenance, unsourced
from loopwright.agents.jobs.taint.register import remember

__all__ = ["Passage", "as_data", "excerpt", "inert", "remember", "require_provenance", "unsourced"]

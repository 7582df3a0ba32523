"""The worker process of the pipeline: `python -m loopwright.agents.designspec.pipeline.worker`.

Apart from `serving`, since what the main module of a process defines cannot be unpickled by another one.
"""

from loopwright.agents.designspec.pipeline.serving import STAGES, serve
from loopwright.agents.designspec.pipeline.stages_export import leave

if __name__ == "__main__":
    serve(STAGES, leave)

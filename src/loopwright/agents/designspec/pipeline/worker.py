"""The worker process of the pipeline: `python -m loopwright.agents.designspec.pipeline.worker`."""

from loopwright.agents.designspec.pipeline.serving import serve
from loopwright.agents.designspec.pipeline.stage_table import STAGES
from loopwright.agents.designspec.pipeline.stages_export import leave

if __name__ == "__main__":
    serve(STAGES, leave)

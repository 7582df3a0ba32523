"""How many tokens each stage's first request has beside the dialogue, by profile, as `docs/prompt-sizes.md` says.

Write the table anew with `python -m tests.e2e.prompt_sizes` when a prompt or a tool has changed.
"""

from pathlib import Path

import pytest

from tests.e2e.prompt_sizes import LIMITS, OVER_LIMIT, TABLE, measured, read_table, stages_of
from tests.e2e.strict_jobs import JOBS

pytestmark = pytest.mark.timeout(600)
SLACK = 0.05
"""By so much a size may differ from the table: paths and dates in a prompt are not the same twice."""


@pytest.mark.parametrize("profile", LIMITS)
@pytest.mark.parametrize("agent", JOBS)
async def test_the_table_tells_the_sizes(tmp_path: Path, agent: str, profile: str) -> None:
    sizes = await measured(tmp_path, agent, profile)
    told = read_table()
    for stage in stages_of(agent):
        stands = told[agent, stage, profile]
        assert stage in sizes or stands is None, f"{agent}/{stage} was not reached"
        if stage in sizes:
            assert stands is not None, f"{TABLE}: write it anew, {agent}/{stage} has {sizes[stage]} tokens"
            assert abs(sizes[stage] - stands) <= max(15, stands * SLACK), f"{TABLE}: {agent}/{stage} {sizes[stage]}"


def test_what_is_over_the_limit_is_known() -> None:
    """The limits hold but for the stages that are named; a stage that keeps to its limit is taken from that list."""
    over = {
        f"{agent}/{stage}/{profile}"
        for (agent, stage, profile), size in read_table().items()
        if size is not None and size > LIMITS[profile]
    }
    assert over == OVER_LIMIT

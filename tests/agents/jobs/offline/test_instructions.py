"""The numbered phases of instructions, for jobs that have no rules of their own."""

import pytest

from loopwright.agents.jobs.configs import load_config
from loopwright.agents.jobs.offline.lexicon import InstructedPhase, instructed_phases, order_of

TEXT = """# Instructions

1. not a step of any phase

## Phase 1: Look

**Goal**: know it.

1. Read what there is,
   all of it.
2) Note the gaps.

```markdown
## Phase 9: in a template
1. not a step
```

**Output**: `output/look.md` and `output/gaps.md`

### Details

- One more

## Rules

- not a step

## Phase 2. Tell

## The user's order

Tell me everything.
"""


def test_phases_steps_and_files_are_read() -> None:
    assert instructed_phases(TEXT) == (
        InstructedPhase(
            "Look",
            ("Read what there is, all of it.", "Note the gaps.", "One more"),
            ("output/look.md", "output/gaps.md"),
        ),
        InstructedPhase("Tell"),
    )
    assert order_of(TEXT) == "Tell me everything."


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", ["defaults", "creator", "validator"])
def test_shipped_instructions_have_phases_with_steps_and_outputs(name: str, language: str) -> None:
    phases = instructed_phases(load_config(name, language=language).instructions)
    assert len(phases) >= 3
    assert all(phase.steps and phase.outputs for phase in phases)

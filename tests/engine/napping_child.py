"""A program that follows a run whose tool sleeps for a minute, as a command does."""

import sys
from pathlib import Path

from loopwright.app.starting import NewRun, create_run
from loopwright.cli.answers import AnswerSource
from loopwright.cli.running import guarded, run_to_end
from loopwright.cli.views import JsonView, follow
from tests.engine.toys import CallingModel, DeafNap, Nap, toy_application, toy_with


async def main(folder: Path, deaf: bool) -> int:
    spec = toy_with(DeafNap() if deaf else Nap())
    async with toy_application(folder, CallingModel(looks=1), spec) as application:
        run = await create_run(application, NewRun("sleep", agent="toy"))
        return await follow(application, run.run_id, JsonView(), AnswerSource())


if __name__ == "__main__":
    raise SystemExit(guarded(lambda: run_to_end(main(Path(sys.argv[1]), "deaf" in sys.argv))))

"""How the user can call this program again."""

import os
import shlex
import sys
from functools import cache
from pathlib import Path

from loopwright.kernel.programs import find_program

NAME = "loopwright"


@cache
def program() -> str:
    """`loopwright` where the shell finds this very program by its name, else the path by which it was called."""
    called = Path(sys.argv[0])
    if called.name != NAME:  # run as a module, or inside a test
        return NAME
    found = find_program(NAME, outside=None)
    if found is not None and os.path.samefile(found, called):
        return NAME
    return shlex.quote(str(called))

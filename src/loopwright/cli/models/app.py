"""The group of commands; without one of them it lists."""

from loopwright.cli.models.check import check
from loopwright.cli.models.listing import models as app
from loopwright.cli.models.local import local
from loopwright.cli.models.use import use

for command in (check, use, local):
    app.add_command(command)

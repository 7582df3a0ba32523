"""What routes are given."""

from typing import Annotated

from fastapi import Depends, Request

from loopwright.app.loopwright import Loopwright


def _house(request: Request) -> Loopwright:
    house: Loopwright = request.app.state.house
    return house


House = Annotated[Loopwright, Depends(_house)]
"""The opened house."""

"""Use cases: how a user wants to be worked with, for one plan by a file, for all by what is remembered of them."""

from pathlib import Path
from typing import Any

from loopwright.app.loopwright import Loopwright
from loopwright.kernel.errors import InvalidInput

MAX_POLICY_BYTES = 100_000


def policy_file(path: Path) -> dict[str, Any]:
    """The fields of an interaction policy that a JSON or YAML file sets.

    Raises:
        InvalidInput: it cannot be read or has a field or value that does not exist.
    """
    import yaml

    try:
        if path.stat().st_size > MAX_POLICY_BYTES:
            raise InvalidInput(f"{path} is larger than {MAX_POLICY_BYTES:,} bytes.")
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}.") from error
    return checked_policy(data or {}, str(path))


def checked_policy(data: Any, source: str = "The interaction policy") -> dict[str, Any]:
    """The fields that are set, each checked.

    Raises:
        InvalidInput: a field or value does not exist.
    """
    from loopwright.agents.planner.contracts.policy import read_policy

    return read_policy(data, source).model_dump(mode="json", exclude_unset=True)


async def show_policy(house: Loopwright) -> dict[str, Any]:
    """What is remembered of the user, and the policy that a new plan begins with."""
    from loopwright.agents.planner.contracts.policy import effective_policy

    remembered = await house.stores.plan_memories.policy()
    return {"remembered": remembered, "policy": effective_policy({}, remembered).model_dump(mode="json")}


async def set_policy(house: Loopwright, fields: dict[str, Any]) -> dict[str, Any]:
    """Remember these fields, in the place of all that were remembered.

    Raises:
        InvalidInput: a field or value does not exist.
    """
    await house.stores.plan_memories.remember_policy(checked_policy(fields))
    return await show_policy(house)


async def clear_policy(house: Loopwright) -> dict[str, Any]:
    """Forget what is remembered; the defaults hold again."""
    await house.stores.plan_memories.forget_policy()
    return await show_policy(house)

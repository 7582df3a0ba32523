"""The user's switches as session modes and config options; only the client sets them."""

from collections.abc import Mapping
from typing import Any

from acp.schema import SessionConfigOptionSelect, SessionConfigSelectOption, SessionMode, SessionModeState

from loopwright.agents.ide.contracts.options import IdeOptions
from loopwright.kernel.errors import InvalidInput

MODES = {
    "agent": ("Agent", "Works on the project; changes and commands need your permission."),
    "chat": ("Chat", "Answers questions; reads the project and changes nothing."),
}
ON_OFF = {"on": "On", "off": "Off"}


def modes(options: IdeOptions) -> SessionModeState:
    """The modes, and the one that the user has chosen."""
    available = [SessionMode(id=name, name=title, description=text) for name, (title, text) in MODES.items()]
    return SessionModeState(current_mode_id=options.mode, available_modes=available)


def config_options(options: IdeOptions) -> list[SessionConfigOptionSelect]:
    """All switches: mode, reasoning, QA."""
    by_mode = {name: title for name, (title, _) in MODES.items()}
    return [
        _select("mode", "Mode", "Whether it works or answers.", "mode", options.mode, by_mode),
        _select(
            "reasoning",
            "Reasoning",
            "Whether every stage shows its reasoning.",
            "thought_level",
            _on(options.reasoning),
            ON_OFF,
        ),
        _select("qa", "QA review", "Whether a reviewer reports beside the answer.", None, _on(options.qa), ON_OFF),
    ]


def switched(options: IdeOptions, config_id: str, value: object) -> IdeOptions:
    """The switches after the user has turned one.

    Raises:
        InvalidInput: there is no such switch, or it has no such position.
    """
    positions: Mapping[str, Mapping[str, Any]] = {
        "mode": {name: name for name in MODES},
        "reasoning": {"on": True, "off": False},
        "qa": {"on": True, "off": False},
    }
    known = positions.get(config_id)
    if known is None:
        raise InvalidInput(f"There is no option {config_id!r}.", hint=f"The options are: {', '.join(positions)}.")
    if not isinstance(value, str) or value not in known:
        raise InvalidInput(f"{config_id} cannot be {value!r}.", hint=f"It is one of {', '.join(known)}.")
    return options.model_copy(update={config_id: known[value]})


def _on(value: bool) -> str:
    return "on" if value else "off"


def _select(
    identifier: str, name: str, description: str, category: Any, current: str, choices: Mapping[str, str]
) -> SessionConfigOptionSelect:
    return SessionConfigOptionSelect(
        type="select",
        id=identifier,
        name=name,
        description=description,
        category=category,
        current_value=current,
        options=[SessionConfigSelectOption(value=value, name=title) for value, title in choices.items()],
    )

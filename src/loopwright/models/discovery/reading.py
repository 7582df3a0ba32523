"""What the answers of each kind of server say; data in, records out, nothing raised whatever comes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from loopwright.models.discovery.endpoint import Kind, ServedModel, TokenPrice, parameters_in
from loopwright.models.settings import DEFAULT_MODELS

# Values out of an endpoint's answer, each within its bounds: an endpoint may say anything, and much of it.

NAME_LENGTH: Final = 300
"""The longest name of a model that is taken, in characters."""
MOST_ITEMS: Final = 1_000
"""How many items of a list are looked at."""
LARGEST: Final = 10**15
"""The largest count that is believed."""


def at(data: Any, *path: str) -> Any:
    """What stands at the end of a path of keys; None where there is none."""
    for key in path:
        if not isinstance(data, Mapping):
            return None
        data = data.get(key)
    return data


def text(value: Any, most: int = NAME_LENGTH) -> str | None:
    """A text of printable signs, neither empty nor longer than `most`; None for anything else."""
    if not isinstance(value, str):
        return None
    value = value.strip()
    return value if value and len(value) <= most and value.isprintable() else None


def count(value: Any) -> int | None:
    """A whole number from 1 to `LARGEST`, also as a text of digits; None for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= len(str(LARGEST)):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 1 <= value <= LARGEST else None


def amount(value: Any) -> float | None:
    """A number from 0 to `LARGEST`, also as a text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str) or len(str(value)) > 40:
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= LARGEST else None


def flag(value: Any) -> bool | None:
    """True or false as such; None for anything else."""
    return value if isinstance(value, bool) else None


def items(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of a list, the first `MOST_ITEMS` of its items at most."""
    if isinstance(value, list):
        yield from (item for item in value[:MOST_ITEMS] if isinstance(item, Mapping))


def left_out(value: Any) -> int:
    """How many items of a list `items` does not look at."""
    return max(0, len(value) - MOST_ITEMS) if isinstance(value, list) else 0


def texts(value: Any) -> frozenset[str]:
    """The short texts of a list."""
    if not isinstance(value, list):
        return frozenset()
    return frozenset(found for item in value[:MOST_ITEMS] if (found := text(item)) is not None)


OLLAMA_WINDOW: Final = 4_096
"""What Ollama allocates where neither the model nor the user says more and the graphics memory is small."""
_WINDOW_PARAMETER: Final = re.compile(r"^num_ctx\s+(\d{1,9})\s*$", re.MULTILINE)


def kind_of(models: Any, props: Any, tags: Any, studio: Any) -> Kind:
    """Which server answers so.

    Args:
        models: the answer of `/v1/models`.
        props: that of llama.cpp's `/props`.
        tags: that of Ollama's `/api/tags`, which other servers know as well.
        studio: that of LM Studio's `/api/v1/models`.
    """
    listed = list(items(at(models, "data")))
    owners = {text(item.get("owned_by")) for item in listed}
    if at(props, "default_generation_settings") is not None or "llamacpp" in owners:
        return "llama.cpp"
    if any("loaded_instances" in item for item in items(at(studio, "models"))):
        return "lm-studio"
    if any(count(item.get("max_model_len")) for item in listed):
        return "vllm"
    if any("supported_parameters" in item for item in listed):
        return "openrouter"
    return "ollama" if isinstance(at(tags, "models"), list) else "other"


def openai_models(data: Any) -> tuple[ServedModel, ...]:
    """The models of `/v1/models`, with the fields of vLLM, OpenRouter, llama.cpp, Mistral and Anthropic.

    Behind the end of what is read of a long list the usual models are looked for by their names.
    """
    listed = at(data, "data")
    found = [_openai_model(item, name) for item in items(listed) if (name := text(item.get("id")))]
    if left_out(listed):
        known = {model.name for model in found}
        ids = {told for item in listed if isinstance(told := at(item, "id"), str)}
        found += [ServedModel(name=name) for name in DEFAULT_MODELS.values() if name in ids - known]
    return tuple({model.name: model for model in found}.values())


def why_unlisted(status: int, data: Any) -> str:
    """What is wrong with an answer of `/v1/models` that lists no model; empty where it lists some."""
    if 300 <= status < 400:
        return f"it answered {status}, and redirects are not followed"
    if status != 200:
        return f"it answered {status}"
    if not isinstance(data, Mapping):
        return "the answer was no JSON object, or was cut or too long"
    if not isinstance(data.get("data"), list):
        return "the answer has no list in `data`"
    return "" if openai_models(data) else "the list names no model"


def _openai_model(item: Mapping[str, Any], name: str) -> ServedModel:
    supported = texts(item.get("supported_parameters"))
    windows = [item.get(key) for key in ("max_model_len", "context_length", "max_context_length", "max_input_tokens")]
    windows += [at(item, "top_provider", "context_length"), at(item, "meta", "n_ctx")]
    modalities = texts(at(item, "architecture", "input_modalities"))
    told = at(item, "capabilities", "vision")
    outputs = texts(at(item, "architecture", "output_modalities"))
    return ServedModel(
        name=name,
        context_tokens=min(filter(None, map(count, windows)), default=None),
        trained_tokens=count(at(item, "meta", "n_ctx_train")),
        parameters=count(at(item, "meta", "n_params")),
        file_bytes=count(at(item, "meta", "size")),
        vision="image" in modalities if modalities else flag(told),
        tools="tools" in supported if supported else flag(at(item, "capabilities", "function_calling")),
        json_schema="structured_outputs" in supported if supported else None,
        tool_choice_required="tool_choice" in supported if supported else None,
        chat=not outputs or "text" in outputs,
        price=_price(item.get("pricing")),
    )


def _price(told: Any) -> TokenPrice | None:
    prompt, completion = amount(at(told, "prompt")), amount(at(told, "completion"))
    if prompt is None or completion is None or max(prompt, completion) > 1:
        return None
    return TokenPrice(prompt=prompt, completion=completion)


def with_props(models: Sequence[ServedModel], props: Any) -> tuple[ServedModel, ...]:
    """llama.cpp's models with what `/props` says: the window of a slot, images, whether the template knows tools."""
    told = {
        "context_tokens": count(at(props, "default_generation_settings", "n_ctx")),
        "vision": flag(at(props, "modalities", "vision")),
        "tools": flag(at(props, "chat_template_caps", "supports_tool_calls")),
        "json_schema": True,
        "loaded": True,
    }
    known = {name: value for name, value in told.items() if value is not None}
    name = text(at(props, "model_alias")) or text(at(props, "model_path"))
    if not models and name:
        models = (ServedModel(name=name),)
    return tuple(model.model_copy(update=known) for model in models)


def ollama_models(tags: Any, running: Any, shown: Mapping[str, Any]) -> tuple[ServedModel, ...]:
    """Ollama's models from `/api/tags`, `/api/ps` and, by name, `/api/show`."""
    windows = {text(item.get("name")): count(item.get("context_length")) for item in items(at(running, "models"))}
    found = {}
    for item in items(at(tags, "models")):
        name = text(item.get("name"))
        if name:
            found[name] = _ollama_model(name, item, shown.get(name), windows)
    return tuple(found.values())


def _ollama_model(
    name: str, item: Mapping[str, Any], shown: Any, windows: Mapping[str | None, int | None]
) -> ServedModel:
    info = at(shown, "model_info")
    architecture = text(at(info, "general.architecture")) or ""
    trained = count(at(info, f"{architecture}.context_length"))
    parameters = at(shown, "parameters")
    own = _WINDOW_PARAMETER.search(parameters[:10_000]) if isinstance(parameters, str) else None
    window = windows.get(name) or (count(own.group(1)) if own else None)
    capabilities = texts(at(shown, "capabilities"))
    size = text(at(item, "details", "parameter_size")) or ""
    return ServedModel(
        name=name,
        context_tokens=window or min(trained or OLLAMA_WINDOW, OLLAMA_WINDOW),
        window_assumed=window is None,
        trained_tokens=trained,
        parameters=count(at(info, "general.parameter_count")) or parameters_in(size),
        file_bytes=count(item.get("size")),
        vision="vision" in capabilities if capabilities else None,
        tools="tools" in capabilities if capabilities else None,
        json_schema=True,
        tool_choice_required=False,
        loaded=name in windows,
        chat=not capabilities or "completion" in capabilities,
    )


def studio_models(data: Any) -> tuple[ServedModel, ...]:
    """LM Studio's models from `/api/v1/models`; a loaded instance is served under its own name."""
    found = {}
    for item in items(at(data, "models")):
        key = text(item.get("key"))
        instances = list(items(item.get("loaded_instances")))
        for instance in instances or ({},):
            name = text(at(instance, "id")) or key
            if name:
                found[name] = _studio_model(name, item, at(instance, "config", "context_length"), bool(instance))
    return tuple(found.values())


def _studio_model(name: str, item: Mapping[str, Any], window: Any, loaded: bool) -> ServedModel:
    size = text(item.get("params_string")) or ""
    return ServedModel(
        name=name,
        context_tokens=count(window),
        trained_tokens=count(item.get("max_context_length")),
        parameters=parameters_in(size),
        file_bytes=count(item.get("size_bytes")),
        vision=flag(at(item, "capabilities", "vision")),
        tools=flag(at(item, "capabilities", "trained_for_tool_use")),
        json_schema=True,
        loaded=loaded,
        chat=item.get("type") in (None, "llm", "vlm"),
    )

"""Takes and keeps the user's choice of an endpoint."""

from dataclasses import dataclass

from loopwright.app.endpoints import LOCAL, Choice, keep_choice, names_of
from loopwright.app.local_model import local_model
from loopwright.app.model_listing import found, open_endpoint
from loopwright.app.settings import Settings
from loopwright.kernel.errors import InvalidInput


@dataclass(frozen=True)
class Chosen:
    """What was kept; `overruled` where the environment says something else."""

    endpoint: str | None
    model: str | None
    text: str
    overruled: bool


async def choose(settings: Settings, name: str | None, model: str | None) -> Chosen:
    """Keep the choice of a server by its kind, or of an address; None takes the choice back.

    Raises:
        InvalidInput: no server of that name was found, or the model is not served.
        Misconfigured: the address is none.
        ModelUnavailable: nobody answers there.
    """
    overruled = settings.openai_base_url is not None or settings.openai_api_key is not None
    if name is None:
        keep_choice(settings.home, None)
        return Chosen(None, None, "The choice is taken back; without settings the offline model answers.", overruled)
    if name == LOCAL:
        config = local_model(settings.home).config
        if config is None:
            raise InvalidInput(
                "No local model is set up.", hint="loopwright models local FILE.gguf, or a name it knows."
            )
        keep_choice(settings.home, Choice(endpoint=LOCAL))
        return Chosen(LOCAL, None, f"{config.name}, run on this machine, answers from now on.", overruled)
    address = name if name.startswith(("http://", "https://")) else await _address_of(settings, name)
    asked = settings.model_copy(update={"openai_base_url": address, "openai_api_key": None})
    async with open_endpoint(asked) as client:
        problem = await client.ask_anew()
        if problem:
            raise InvalidInput(f"{name} was not chosen: {problem}", hint="Start the server, or give another address.")
        endpoint = client.known.endpoint
        told = f"It serves {names_of(endpoint)}." if endpoint and endpoint.models else endpoint and endpoint.unlisted
        meant = model or client.model_of("standard")
        if not client.known.may_serve(meant) and not (model and endpoint and endpoint.more):
            missing = f"{address} does not serve {meant}." if model else f"{address} serves several models."
            raise InvalidInput(missing, hint=f"Name one with --model. {told}")
        if model is None and endpoint is not None and endpoint.unlisted:
            raise InvalidInput(f"{address} does not tell its models.", hint=f"Name one with --model. {told}")
    keep_choice(settings.home, Choice(endpoint=address, model=model))
    text = f"{meant} at {address} answers from now on. To prove it: loopwright models check"
    return Chosen(address, model, text, overruled)


async def _address_of(settings: Settings, name: str) -> str:
    rows = await found(settings.model_copy(update={"openai_base_url": "offline"}))
    for each in rows:
        if each.kind == name:
            return each.address
    known = ", ".join(f"{each.kind} ({each.address})" for each in rows) or "none"
    raise InvalidInput(
        f"No server {name!r} was found on this machine.", hint=f"Found: {known}. Any address works as well."
    )

"""What a call costs, by the table of genai-prices (extra `prices`). A model that it does not know has no price."""

import logging
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from loopwright.kernel.events import Usage
from loopwright.kernel.messages import Message, ToolSchemas
from loopwright.models.discovery.knowledge import Knowledge

if TYPE_CHECKING:
    from bpe_openai import Encoding  # type: ignore[import-untyped]
    from genai_prices.types import PriceCalculation


# Token counts where the endpoint does not tell them.


def count_tokens(text: str) -> int:
    """The exact count in OpenAI's o200k encoding; for other vendors' models a fair guess.

    Without the extra `tokens` it is an upper bound: a token has a byte at least.
    """
    encoding = _encoding()
    return len(text.encode(errors="replace")) if encoding is None else len(encoding.encode_ordinary(text))


def prompt_tokens(messages: Sequence[Message], tools: ToolSchemas) -> int:
    """An estimate that is as cheap at message 300 as at message 3: characters / 3, remembered by each message."""
    return sum(message.estimated_tokens for message in messages) + (len(tools.wire) // 3 if len(tools) else 0)


def estimated_usage(messages: Sequence[Message], tools: ToolSchemas, answer: str) -> Usage:
    """What a call probably used, for endpoints that do not count."""
    return Usage(prompt_tokens=prompt_tokens(messages, tools), completion_tokens=count_tokens(answer), estimated=True)


@cache
def _encoding() -> "Encoding | None":
    if find_spec("bpe_openai") is None:
        return None
    with warnings.catch_warnings():
        # It reads its tables, while it is imported, by a function that the standard library has declared out of date.
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai

        return bpe_openai.get_encoding("o200k_base")


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Rates:
    """USD per token, for models whose price depends on nothing else."""

    prompt: float
    cached: float
    completion: float

    def cost(self, usage: Usage) -> float:
        """The price of this use in USD."""
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        fresh = usage.prompt_tokens - cached
        return fresh * self.prompt + cached * self.cached + usage.completion_tokens * self.completion


@dataclass
class PriceList:
    """Prices of models at one endpoint. `free` endpoints (the offline model) cost nothing, whatever they are asked.

    So does a server that is known to compute on this machine; one elsewhere has no price that is known. Behind any
    other address a name alone has no price: only the maker's own host, or the user who `named` the model, says whose
    it is.

    What was found out about a model is kept, because the library takes longer to price a call than we take to send it.
    """

    base_url: str
    free: bool = False
    known: Knowledge = field(default_factory=Knowledge)
    named: frozenset[str] = frozenset()
    _unknown: set[str] = field(default_factory=set)
    _rates: dict[str, Rates] = field(default_factory=dict)

    def cost(self, model: str, usage: Usage) -> float | None:
        """The price of this use in USD, or None where the model's price is unknown."""
        billing = self.known.billing
        if self.free or billing == "free":
            return 0.0
        if billing == "unknown":
            return None
        if billing == "told" and (price := self.known.price(model)) is not None:
            return usage.prompt_tokens * price.prompt + usage.completion_tokens * price.completion
        rates = self._rates.get(model)
        if rates is not None:
            return rates.cost(usage)
        if model in self._unknown:
            return None
        found = self._look_up(model, usage)
        if found is None:
            self._unknown.add(model)
            return None
        rates = _rates_of(found)
        if rates is not None:
            self._rates[model] = rates
        return float(found.total_price)

    def _look_up(self, model: str, usage: Usage) -> "PriceCalculation | None":
        if not _has_table():
            return None
        import genai_prices

        counted = genai_prices.Usage(
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            cache_read_tokens=min(usage.cached_tokens, usage.prompt_tokens),
        )
        try:
            return genai_prices.calc_price(counted, model, provider_api_url=self.base_url)
        except LookupError:
            if model not in self.named:
                return None
        try:
            return genai_prices.calc_price(counted, model)
        except LookupError:
            return None


@cache
def _has_table() -> bool:
    """Whether genai-prices is installed; that it is missed is told once."""
    found = find_spec("genai_prices") is not None
    if not found:
        log.warning('The prices of models are not installed: pip install "loopwright[prices]"')
    return found


def _rates_of(found: "PriceCalculation") -> Rates | None:
    """The model's rates, or None where they change with the size of the prompt or the time of day."""
    from genai_prices.types import ModelPrice

    if not isinstance(found.model.prices, ModelPrice):
        return None
    prompt, completion = found.model_price.input_mtok, found.model_price.output_mtok
    cached = found.model_price.cache_read_mtok
    if cached is None:
        cached = prompt
    if not isinstance(prompt, Decimal) or not isinstance(cached, Decimal) or not isinstance(completion, Decimal):
        return None
    return Rates(float(prompt) / 1e6, float(cached) / 1e6, float(completion) / 1e6)

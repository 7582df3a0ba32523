"""What a call costs, from the maintained table of genai-prices. An unknown model has no price, which is not zero."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from loopwright.kernel.events import Usage

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation


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

    What was found out about a model is kept, because the library takes longer to price a call than we take to send it.
    """

    base_url: str
    free: bool = False
    _unknown: set[str] = field(default_factory=set)
    _rates: dict[str, Rates] = field(default_factory=dict)

    def cost(self, model: str, usage: Usage) -> float | None:
        """The price of this use in USD, or None where the model's price is unknown.

        An endpoint that the table does not know (a gateway, a proxy) is taken to ask the price of the model's maker.
        """
        if self.free:
            return 0.0
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
        import genai_prices

        counted = genai_prices.Usage(
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            cache_read_tokens=min(usage.cached_tokens, usage.prompt_tokens),
        )
        try:
            return genai_prices.calc_price(counted, model, provider_api_url=self.base_url)
        except LookupError:
            pass
        try:
            return genai_prices.calc_price(counted, model)
        except LookupError:
            return None


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

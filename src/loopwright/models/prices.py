"""What a call costs, from the maintained table of genai-prices. An unknown model has no price, which is not zero."""

from dataclasses import dataclass, field

from loopwright.kernel.events import Usage


@dataclass
class PriceList:
    """Prices of models at one endpoint. `free` endpoints (the offline model) cost nothing, whatever they are asked."""

    base_url: str
    free: bool = False
    _unknown: set[str] = field(default_factory=set)

    def cost(self, model: str, usage: Usage) -> float | None:
        """The price of this use in USD, or None where the model's price is unknown.

        An endpoint that the table does not know (a gateway, a proxy) is taken to ask the price of the model's maker.
        """
        if self.free:
            return 0.0
        if model in self._unknown:
            return None
        import genai_prices

        counted = genai_prices.Usage(
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            cache_read_tokens=min(usage.cached_tokens, usage.prompt_tokens),
        )
        try:
            return float(genai_prices.calc_price(counted, model, provider_api_url=self.base_url).total_price)
        except LookupError:
            pass
        try:
            return float(genai_prices.calc_price(counted, model).total_price)
        except LookupError:
            self._unknown.add(model)
            return None

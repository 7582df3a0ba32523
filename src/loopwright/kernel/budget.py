"""Budgets: estimated before each call, charged after it; a hard cap stops before the call, never after."""

from dataclasses import dataclass

from loopwright.kernel.errors import BudgetExceeded
from loopwright.kernel.events import BudgetCharged, Usage


@dataclass(frozen=True)
class BudgetLimits:
    """Caps; None is no cap. Money in USD. A turn is one user message, that is one run."""

    max_tokens_per_run: int | None = None
    max_usd_per_run: float | None = None
    max_usd_per_day: float | None = None
    soft_usd_per_run: float | None = None


@dataclass
class Budget:
    """What a run has spent. `usd_known` turns False with the first call whose model has no known price."""

    limits: BudgetLimits
    tokens: int = 0
    usd: float = 0.0
    usd_known: bool = True
    spent_today: float = 0.0

    def check(self, estimated_tokens: int, estimated_usd: float | None) -> None:
        """Allow a call of this size; money caps hold only where the price is known.

        Raises:
            BudgetExceeded: a hard cap would be passed.
        """
        cap = self.limits.max_tokens_per_run
        if cap is not None and self.tokens + estimated_tokens > cap:
            raise BudgetExceeded(
                f"The next call would bring this run to {self.tokens + estimated_tokens:,} tokens; its cap is {cap:,}.",
                hint="Raise LOOPWRIGHT_MAX_TOKENS_PER_RUN, or ask for less at a time.",
            )
        if estimated_usd is None:
            return
        for spent, limit, name in (
            (self.usd, self.limits.max_usd_per_run, "run"),
            (self.spent_today + self.usd, self.limits.max_usd_per_day, "day"),
        ):
            if limit is not None and spent + estimated_usd > limit:
                raise BudgetExceeded(
                    f"The next call could bring this {name} to ${spent + estimated_usd:.4f}; its cap is ${limit:.4f}.",
                    hint=f"Raise LOOPWRIGHT_MAX_USD_PER_{name.upper()}, or choose a cheaper model.",
                )

    @property
    def past_soft_ceiling(self) -> bool:
        """Whether the run has spent more than its soft ceiling."""
        return self.limits.soft_usd_per_run is not None and self.usd > self.limits.soft_usd_per_run

    def charge(self, usage: Usage, cost_usd: float | None) -> BudgetCharged:
        """Book a call that was made, and give the event that tells so."""
        self.tokens += usage.total
        if cost_usd is None:
            self.usd_known = False
        else:
            self.usd += cost_usd
        return BudgetCharged(
            tokens=usage.total,
            cost_usd=cost_usd,
            total_tokens=self.tokens,
            total_usd=self.usd if self.usd_known else None,
        )

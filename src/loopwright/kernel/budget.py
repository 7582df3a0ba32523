"""Budgets: estimated before each call, charged after it; a hard cap stops before the call, never after."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from loopwright.kernel.errors import BudgetExceeded
from loopwright.kernel.events import BudgetCharged, Usage


@dataclass(frozen=True)
class BudgetLimits:
    """Caps; None is no cap. Money in USD. What passes the soft one, of a turn, is asked about (`turns.py`)."""

    max_tokens_per_run: int | None = None
    max_usd_per_run: float | None = None
    max_usd_per_session: float | None = None
    max_usd_per_day: float | None = None
    soft_usd_per_turn: float | None = None


@dataclass
class Budget:
    """What a run has spent, and what the calls under way may cost (`held`).

    `usd_known` turns False with the first call whose model has no known price. `spent_in_session` is what the other
    runs of the session have spent, `spent_today` what other runs have spent since midnight.
    """

    limits: BudgetLimits
    tokens: int = 0
    usd: float = 0.0
    usd_known: bool = True
    spent_in_session: float = 0.0
    spent_today: float = 0.0
    held_tokens: int = 0
    held_usd: float = 0.0

    def check(self, estimated_tokens: int, estimated_usd: float | None) -> None:
        """Allow a call of this size; money caps hold only where the price is known.

        Raises:
            BudgetExceeded: a hard cap would be passed.
        """
        cap, tokens = self.limits.max_tokens_per_run, self.tokens + self.held_tokens + estimated_tokens
        if cap is not None and tokens > cap:
            raise BudgetExceeded(
                f"The next call would bring this run to {tokens:,} tokens; its cap is {cap:,}.",
                hint="Raise LOOPWRIGHT_MAX_TOKENS_PER_RUN, or ask for less at a time.",
            )
        if estimated_usd is None:
            return
        for spent, limit, name in (
            (self.usd, self.limits.max_usd_per_run, "run"),
            (self.spent_in_session + self.usd, self.limits.max_usd_per_session, "session"),
            (self.spent_today + self.usd, self.limits.max_usd_per_day, "day"),
        ):
            total = spent + self.held_usd + estimated_usd
            if limit is not None and total > limit:
                raise BudgetExceeded(
                    f"The next call could bring this {name} to ${total:.4f}; its cap is ${limit:.4f}.",
                    hint=f"Raise LOOPWRIGHT_MAX_USD_PER_{name.upper()}, or choose a cheaper model.",
                )

    @contextmanager
    def reserve(self, estimated_tokens: int, estimated_usd: float | None) -> Iterator[None]:
        """Hold the estimate while the call is under way, so that calls side by side cannot pass a cap together.

        Raises:
            BudgetExceeded: a hard cap would be passed.
        """
        self.check(estimated_tokens, estimated_usd)
        usd = estimated_usd or 0.0
        self.held_tokens += estimated_tokens
        self.held_usd += usd
        try:
            yield
        finally:
            self.held_tokens -= estimated_tokens
            self.held_usd -= usd

    @property
    def caps_money(self) -> bool:
        """Whether there is a hard cap on money, which a model without a known price escapes."""
        caps = (self.limits.max_usd_per_run, self.limits.max_usd_per_session, self.limits.max_usd_per_day)
        return any(cap is not None for cap in caps)

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

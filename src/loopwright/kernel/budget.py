"""Budgets: estimated before each call, charged after it; a hard cap stops before the call, never after."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from loopwright.kernel.errors import BudgetExceeded
from loopwright.kernel.events import BudgetCharged, Usage


@dataclass(frozen=True)
class CodeLimits:
    """Caps of one script in code mode.

    `seconds` is the interpreter's own time, without that of the calls; `memory_mb` is in MB of 1,000,000 bytes;
    `output` is in characters; `checked` says whether names and signatures are checked before anything runs.
    """

    seconds: float = 5.0
    memory_mb: int = 64
    calls: int = 100
    output: int = 20_000
    checked: bool = True


@dataclass(frozen=True)
class BudgetLimits:
    """Caps; None is no cap. Money in USD. What passes the soft one, of a turn, is asked about (`loop.py`)."""

    max_tokens_per_run: int | None = None
    max_usd_per_run: float | None = None
    max_usd_per_session: float | None = None
    max_usd_per_day: float | None = None
    soft_usd_per_turn: float | None = None


@dataclass(frozen=True)
class Spent:
    """What a run has used; with `usd_known` False there were calls whose price nobody knows."""

    tokens: int = 0
    usd: float = 0.0
    usd_known: bool = True
    steps: int = 0

    def __add__(self, other: "Spent") -> "Spent":
        """Both together."""
        known = self.usd_known and other.usd_known
        return Spent(self.tokens + other.tokens, self.usd + other.usd, known, self.steps + other.steps)


@dataclass
class Budget:
    """What a run has spent, and what the calls under way may cost (`held`).

    `usd_known` turns False with the first call whose model has no known price. `spent_in_session` is what the other
    runs of the session have spent, `spent_today` what other runs have spent since midnight. `children` holds by run
    what the runs have spent that this one has asked for: it counts against the caps here too. Each of them has this
    budget as its `caller`, tells it at once what it has spent (`run_id` names it), and makes no call that would pass a
    cap of it. `max_steps` holds for the steps of all of them together; the run's own loop sees to its own.
    """

    limits: BudgetLimits
    tokens: int = 0
    usd: float = 0.0
    usd_known: bool = True
    spent_in_session: float = 0.0
    spent_today: float = 0.0
    held_tokens: int = 0
    held_usd: float = 0.0
    steps: int = 0
    held_steps: int = 0
    max_steps: int | None = None
    children: dict[str, Spent] = field(default_factory=dict)
    caller: "Budget | None" = None
    run_id: str = ""

    def __post_init__(self) -> None:
        """Tell the caller what was spent before."""
        self._tell_caller()

    @property
    def spent(self) -> Spent:
        """What the run and those that it has asked for have spent."""
        return sum(self.children.values(), Spent(self.tokens, self.usd, self.usd_known, self.steps))

    def check(self, estimated_tokens: int, estimated_usd: float | None) -> None:
        """Allow a call of this size; money caps hold only where the price is known.

        Raises:
            BudgetExceeded: a hard cap would be passed, of this run or of one that waits for it.
        """
        self._check(estimated_tokens, estimated_usd, "this")
        caller = self.caller
        while caller is not None:
            caller._check_steps()
            caller._check(estimated_tokens, estimated_usd, "the calling")
            caller = caller.caller

    def _check_steps(self) -> None:
        if self.max_steps is not None and self.spent.steps + self.held_steps >= self.max_steps:
            raise BudgetExceeded(
                f"The calling run and the agents that it has asked have used all of its {self.max_steps} steps.",
                hint="Give the calling agent a larger budget, or let it ask for less.",
            )

    def _check(self, estimated_tokens: int, estimated_usd: float | None, whose: str) -> None:
        used = self.spent
        cap, tokens = self.limits.max_tokens_per_run, used.tokens + self.held_tokens + estimated_tokens
        if cap is not None and tokens > cap:
            raise BudgetExceeded(
                f"The next call would bring {whose} run to {tokens:,} tokens; its cap is {cap:,}.",
                hint="Raise LOOPWRIGHT_MAX_TOKENS_PER_RUN, or ask for less at a time.",
            )
        if estimated_usd is None:
            return
        for spent, limit, name in (
            (used.usd, self.limits.max_usd_per_run, "run"),
            (self.spent_in_session + used.usd, self.limits.max_usd_per_session, "session"),
            (self.spent_today + used.usd, self.limits.max_usd_per_day, "day"),
        ):
            total = spent + self.held_usd + estimated_usd
            if limit is not None and total > limit:
                raise BudgetExceeded(
                    f"The next call could bring {'this' if name == 'day' else whose} {name} to ${total:.4f}; "
                    f"its cap is ${limit:.4f}.",
                    hint=f"Raise LOOPWRIGHT_MAX_USD_PER_{name.upper()}, or choose a cheaper model.",
                )

    @contextmanager
    def reserve(self, estimated_tokens: int, estimated_usd: float | None) -> Iterator[None]:
        """Hold the estimate while the call is under way, so that calls side by side cannot pass a cap together.

        Raises:
            BudgetExceeded: a hard cap would be passed.
        """
        self.check(estimated_tokens, estimated_usd)
        self._hold(estimated_tokens, estimated_usd or 0.0, 1)
        try:
            yield
        finally:
            self._hold(-estimated_tokens, -(estimated_usd or 0.0), -1)

    def _hold(self, tokens: int, usd: float, steps: int) -> None:
        self.held_tokens += tokens
        self.held_usd += usd
        self.held_steps += steps
        if self.caller is not None:
            self.caller._hold(tokens, usd, steps)

    def count_child(self, run_id: str, spent: Spent) -> None:
        """Count all that a run has spent which this one has asked for."""
        self.children[run_id] = spent
        self._tell_caller()

    def _tell_caller(self) -> None:
        if self.caller is not None:
            self.caller.count_child(self.run_id, self.spent)

    @property
    def caps_money(self) -> bool:
        """Whether there is a hard cap on money, which a model without a known price escapes."""
        caps = (self.limits.max_usd_per_run, self.limits.max_usd_per_session, self.limits.max_usd_per_day)
        return any(cap is not None for cap in caps)

    def charge(self, usage: Usage, cost_usd: float | None, *, steps: int = 0) -> BudgetCharged:
        """Book a call that was made, and give the event that tells so; a call of the loop's own is a step."""
        self.tokens += usage.total
        self.steps += steps
        if cost_usd is None:
            self.usd_known = False
        else:
            self.usd += cost_usd
        self._tell_caller()
        return BudgetCharged(
            tokens=usage.total,
            cost_usd=cost_usd,
            total_tokens=self.tokens,
            total_usd=self.usd if self.usd_known else None,
        )

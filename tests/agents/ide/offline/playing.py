"""One run of the ide agent in this process, its model played by the rules; and projects to play in."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopwright.agents.ide.offline import PLAYBOOK
from loopwright.agents.ide.spec import AGENT
from loopwright.kernel.events import ModelResponse
from loopwright.kernel.loop import run_agentic_loop
from loopwright.kernel.offline import OfflineRequest
from loopwright.kernel.ports import DeltaSink, ModelRequest, Profile
from loopwright.kernel.prompts import task_of
from loopwright.kernel.testing import MemoryJournal, start_run
from loopwright.kernel.testing.runs import as_response
from tests.agents.ide.acting import Account, services_with

ORDERS = '''"""Adding up."""


def total(prices):
    """The sum of the prices."""
    subtotal = sum(prices)
    return subtotal


class Basket:
    """What is bought."""

    def __init__(self, prices):
        self.total = 0
        self.prices = prices

    def amount(self):
        """What it costs."""
        return total(self.prices)
'''
SHOP = {
    "README.md": "# Shop\n\nA small program that adds up orders.\n",
    "pyproject.toml": (
        '[project]\nname = "shop"\ndescription = "Adds up."\n[project.scripts]\nshop = "shop.cli:main"\n'
    ),
    "shop/__init__.py": '"""Orders."""\n\nfrom shop.orders import total\n\n__all__ = [\n    "total",\n]\n',
    "shop/orders.py": ORDERS,
    "shop/cli.py": (
        '"""The command."""\n\nfrom shop import orders as book\n\n\ndef main():\n    """Print the sum of totals."""\n'
        "    print(book.total([1, 2]))\n\n\nif __name__ == '__main__':\n    main()\n"
    ),
    "tests/__init__.py": "",
    "tests/test_orders.py": (
        "import unittest\n\nfrom shop.orders import (\n    Basket,\n    total,\n)\n\n\n"
        "class OrdersTest(unittest.TestCase):\n"
        "    def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n\n"
        "    def test_amount(self):\n        self.assertEqual(Basket([1, 2]).amount(), 3)\n"
    ),
}


def project(folder: Path, files: Mapping[str, str] = SHOP) -> Path:
    """A project with these files."""
    root = folder / "project"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


@dataclass
class Rules:
    """A `ModelClient` that asks the playbook, as the offline model does behind its wire."""

    requests: list[ModelRequest]

    async def complete(self, request: ModelRequest, on_delta: DeltaSink | None = None) -> ModelResponse:
        """The playbook's answer."""
        self.requests.append(request)
        asked = OfflineRequest(request.task or task_of(request.messages), request.messages, request.tools.names)
        reply = PLAYBOOK.answer(asked)
        assert reply == PLAYBOOK.answer(asked), "the same request always gets the same answer"
        response = as_response(
            [(name, dict(arguments)) for name, arguments in reply.tool_calls] or reply.text, len(self.requests)
        )
        return response.model_copy(update={"text": reply.text})

    def estimate_cost(self, request: ModelRequest) -> float | None:
        """Free."""
        return 0.0

    def profile(self, tier: str = "standard", model: str | None = None) -> Profile:
        """A frontier model."""
        return "frontier"

    def context_tokens(self, tier: str = "standard", model: str | None = None) -> int | None:
        """Unknown."""
        return None


@dataclass
class Played(Account):
    """A run that the rules have played."""

    @property
    def answer(self) -> str:
        """What the user reads at the end."""
        return self.run.state.last_text

    def payload(self, kind: str) -> dict[str, Any]:
        """The last event of a type."""
        return next(event.payload for event in reversed(self.events) if event.type == kind)

    @property
    def delivery(self) -> dict[str, Any]:
        """The last delivery check."""
        return self.payload("delivery_checked")

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What QA has found."""
        found: list[dict[str, Any]] = self.payload("qa_reported")["report"]["findings"]
        return found


def play(root: Path, message: str, *allowed: str, **options: Any) -> Played:
    """Play a message; writing and running are allowed unless other categories are named."""

    async def played() -> Played:
        model, journal = Rules([]), MemoryJournal()
        granted = list(allowed) or ["write", "run"]
        switches = {"mode": "agent", "reasoning": False, "qa": True, "allowed": granted, **options}
        services = services_with(journal)
        run = start_run(AGENT, model, message, journal=journal, output_dir=root, options=switches, services=services)
        return Played(run, await run_agentic_loop(run), model.requests)

    return asyncio.run(played())

"""The loop that everybody writes first: the openai package, asyncio, forty lines."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from openai import AsyncOpenAI

Tool = Callable[..., str]


class Agent:
    """A model, its tools, and the conversation between them."""

    def __init__(
        self, client: AsyncOpenAI, model: str, system: str, tools: Mapping[str, tuple[dict[str, Any], Tool]]
    ) -> None:
        """Take everything; `tools` maps a name to its schema and its function."""
        self.client, self.model = client, model
        self.schemas = [schema for schema, _ in tools.values()]
        self.functions = {name: function for name, (_, function) in tools.items()}
        self.messages: list[Any] = [{"role": "system", "content": system}]

    async def run(self, task: str) -> str:
        """Step until the model answers with text."""
        self.messages.append({"role": "user", "content": task})
        while True:
            response = await self.client.chat.completions.create(
                model=self.model, messages=self.messages, tools=self.schemas, max_tokens=4_096
            )
            message = response.choices[0].message
            self.messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                return message.content or ""
            for call in message.tool_calls:
                result = self.functions[call.function.name](**json.loads(call.function.arguments))
                self.messages.append({"role": "tool", "tool_call_id": call.id, "content": result})

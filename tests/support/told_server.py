"""A server that says of itself what the servers of each kind say; it answers no chat unless it is given a script."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.model_server import Connection, ModelServer, Reply, Request, calls, text

LLAMA_CPP = {
    "/v1/models": {
        "object": "list",
        "data": [
            {
                "id": "/models/tiny.gguf",
                "object": "model",
                "owned_by": "llamacpp",
                "meta": {"n_ctx_train": 32768, "n_params": 1_777_088_000, "size": 1_111_370_240},
            }
        ],
    },
    "/props": {
        "default_generation_settings": {"n_ctx": 8192, "params": {"temperature": 0.8}},
        "total_slots": 1,
        "modalities": {"vision": False, "audio": False},
        "chat_template": "…",
        "chat_template_caps": {"supports_tool_calls": True},
    },
    "/api/tags": {"models": [{"name": "/models/tiny.gguf"}]},
}
OLLAMA = {
    "/v1/models": {"object": "list", "data": [{"id": "big:70b", "object": "model", "owned_by": "library"}]},
    "/api/tags": {
        "models": [
            {"name": "big:70b", "size": 42_000_000_000, "details": {"parameter_size": "70.6B"}},
            {"name": "see:latest", "size": 3_000_000_000, "details": {"parameter_size": "4.3B"}},
            {"name": "embed:latest", "size": 300_000_000, "details": {"parameter_size": "137M"}},
        ]
    },
    "/api/ps": {"models": [{"name": "big:70b", "size_vram": 1, "context_length": 32768}]},
    "/api/show": {
        "big:70b": {
            "capabilities": ["completion", "tools"],
            "model_info": {
                "general.architecture": "llama",
                "general.parameter_count": 70_553_706_560,
                "llama.context_length": 131072,
            },
        },
        "see:latest": {
            "capabilities": ["completion", "vision"],
            "parameters": "stop x\nnum_ctx 16384\n",
            "model_info": {"general.architecture": "gemma3", "gemma3.context_length": 131072},
        },
        "embed:latest": {"capabilities": ["embedding"], "model_info": {}},
    },
}
LM_STUDIO = {
    "/v1/models": {"object": "list", "data": [{"id": "qwen/qwen3.5-9b", "object": "model"}]},
    "/api/v1/models": {
        "models": [
            {
                "type": "llm",
                "key": "qwen/qwen3.5-9b",
                "params_string": "9B",
                "size_bytes": 6_548_927_017,
                "loaded_instances": [{"id": "qwen/qwen3.5-9b", "config": {"context_length": 4096}}],
                "max_context_length": 262144,
                "capabilities": {"vision": True, "trained_for_tool_use": True},
            },
            {
                "type": "llm",
                "key": "google/gemma-3-4b",
                "params_string": "4B",
                "loaded_instances": [],
                "max_context_length": 131072,
                "capabilities": {"vision": True, "trained_for_tool_use": False},
            },
            {"type": "embedding", "key": "nomic", "loaded_instances": [], "max_context_length": 2048},
        ]
    },
}
VLLM = {
    "/v1/models": {
        "object": "list",
        "data": [{"id": "Qwen/Qwen3-32B", "object": "model", "owned_by": "vllm", "max_model_len": 40960}],
    }
}
OPENROUTER = {
    "/v1/models": {
        "data": [
            {
                "id": "maker/large",
                "context_length": 200000,
                "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
                "pricing": {"prompt": "0.000003", "completion": "0.000015"},
                "supported_parameters": ["tools", "tool_choice", "structured_outputs"],
                "top_provider": {"context_length": 128000},
            },
            {
                "id": "maker/plain",
                "context_length": 8192,
                "architecture": {"input_modalities": ["text"], "output_modalities": ["text"]},
                "pricing": {"prompt": "0", "completion": "0"},
                "supported_parameters": ["max_tokens"],
            },
        ]
    }
}


@dataclass
class TalkingServer(ModelServer):
    """A model server that answers questions about itself by path; `/api/show` by the model's name."""

    told: Mapping[str, Any] = field(default_factory=dict)
    asked: list[Request] = field(default_factory=list)

    async def tell(self, request: Request, connection: Connection) -> None:
        """Answer what is known."""
        self.asked.append(request)
        found = self.told.get(request.path)
        if request.path == "/api/show" and isinstance(found, Mapping):
            found = found.get(request.body.get("model", ""))
        if isinstance(found, bytes):
            await connection.respond(200, found)
        elif found is None:
            await connection.respond(404, b'{"error": "not found"}')
        else:
            await connection.respond(200, json.dumps(found).encode())


@dataclass
class ChattingServer(TalkingServer):
    """One that also answers the calls of `loopwright models check`, well or not."""

    native: bool = True
    schemas: bool = True
    length: bool = True

    def reply_to(self, request: Request) -> Reply:
        """What a model would say."""
        asked = request.body
        form = (asked.get("response_format") or {}).get("json_schema", {}).get("name")
        limit = asked.get("max_tokens") or asked.get("max_completion_tokens")
        if limit == 16:
            return text("1, 2, 3", "length" if self.length else "stop")
        if form is not None and not self.schemas:
            return text("Blue, of course.")
        if form == "colour":
            return text('{"colour": "vermilion"}')
        read = "4711" in str(asked["messages"])
        if form == "step":
            step = {"answer": "4711"} if read else {"tool": "look_up", "arguments": {"key": "alpha"}}
            return text(json.dumps(step))
        if asked.get("tools") and self.native and not read:
            return calls(("look_up", {"key": "alpha"}))
        return text("The value is 4711." if read else "one, two, three, four, five")

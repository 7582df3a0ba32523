"""Requests of the kernel as bodies, for measuring what of them an endpoint has read before."""

import json
from typing import Any

from loopwright.kernel.ports import ModelRequest


def body_of(request: ModelRequest) -> dict[str, Any]:
    """The tools and messages of a request, as they go on the wire."""
    tools = json.loads(request.tools.wire) if len(request.tools) else []
    return {"tools": tools, "messages": [json.loads(message.wire) for message in request.messages]}

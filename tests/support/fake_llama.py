"""The background process of `loopwright models local` with a small HTTP server in the place of llama.cpp.

What it does is in the name of the model: `broken` cannot be read, `busy` always has work.
"""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from loopwright.models.local import LocalConfig, host


def start_server(config: LocalConfig, key: str) -> Any:
    if "broken" in config.name:
        raise RuntimeError("failed to load the model")
    asked = {"tasks": 0}

    class Handler(BaseHTTPRequestHandler):
        def answer(self, status: int, data: Any) -> None:
            body = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def is_let_in(self) -> bool:
            if self.headers.get("Authorization") == f"Bearer {key}":
                return True
            self.answer(401, {"error": {"message": "Invalid API Key"}})
            return False

        def do_GET(self) -> None:
            if not self.is_let_in():
                return
            if self.path == "/slots":
                self.answer(200, [{"id_task": asked["tasks"], "is_processing": "busy" in config.name}])
            elif self.path == "/v1/models":
                self.answer(200, {"data": [{"id": config.name, "owned_by": "llamacpp"}]})
            elif self.path == "/props":
                self.answer(200, {"default_generation_settings": {"n_ctx": config.context_tokens}})
            else:
                self.answer(404, {})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            if not self.is_let_in():
                return
            asked["tasks"] += 1
            message = {"role": "assistant", "content": "Hello."}
            self.answer(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return SimpleNamespace(listening_address=f"http://127.0.0.1:{server.server_port}")


if __name__ == "__main__":
    host.start_server = start_server
    host.main(Path(sys.argv[1]))

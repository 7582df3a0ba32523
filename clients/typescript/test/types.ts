// Checked by `tsc`, never run: what the types allow and refuse, and that the implementation is what they say.

import { ApiError, Client, type EventOf, type RunEvent, type Session } from "loopwright";
import * as implementation from "../src/implementation.js";

const client: Client = new Client("http://127.0.0.1:8700", { token: "secret", name: "types" });
const session: Session = client.session("editor", { sessionId: "s", lastSeq: 3 });

session
  .tool("get_selection", async ({ file }) => ({ text: `all of ${file}`, line: 1 }))
  .tool<{ file: string }>("open_file", ({ file }, call) => `${file.toUpperCase()} within ${call.timeoutSeconds}`)
  .tool("close", () => {});

// @ts-expect-error a function is no JSON
session.tool("bad", () => ({ f: () => 1 }));

export async function turn(signal: AbortSignal): Promise<string> {
  const run = await session.send("Look.", { images: [], options: { mode: "agent" } });
  const status: "queued" | "running" | "waiting_input" | "parked" | "completed" | "failed" | "cancelled" = run.status;
  for await (const event of session.events({ signal })) {
    if (event.type === "tool_call") {
      const attempt: number = event.payload.attempt ?? 1;
      // @ts-expect-error a tool call has no output
      event.payload.output;
      if (attempt > 1) console.log(event.payload.name, event.payload.arguments["file"]);
    }
    if (event.type === "gate_opened") await answer(event);
    if (event.type === "stage_changed") console.log(event.payload.from, event.payload.to);
    // @ts-expect-error there is no such event
    if (event.type === "no_such_event") break;
  }
  return status;
}

async function answer(event: EventOf<"gate_opened">): Promise<void> {
  await session.answer(event, { decision: "approve", scope: "once" });
  await session.answer(event.payload.gate_id, { answers: { "0": "Blue" } });
  await session.answer({ gate_id: "r.1" }, { result: [1, null, { a: true }] });
  // @ts-expect-error neither of the answers there are
  await session.answer("r.1", { yes: true });
}

export function text(event: RunEvent): string {
  switch (event.type) {
    case "model_response":
      return event.payload.visible ?? event.payload.text;
    case "run_failed":
      return event.payload.message;
    default:
      return `${event.seq} ${event.type}`;
  }
}

export async function routes(): Promise<void> {
  await client.request("GET /api/runs");
  await client.request("GET /api/runs", { query: { agent: "pages", limit: 5 } });
  await client.request("POST /api/runs", { body: { message: "Hi" } });
  await client.request("GET /api/runs/{run_id}", { path: { run_id: "r" } });
  // @ts-expect-error the path is missing
  await client.request("GET /api/runs/{run_id}");
  // @ts-expect-error there is no such route
  await client.request("GET /api/nothing");
  try {
    await session.cancel();
  } catch (error) {
    if (error instanceof ApiError) console.log(error.status, error.code, error.hint);
  }
}

// The implementation is what the declarations promise.
export const implemented: Session = new implementation.Client("http://127.0.0.1").session("editor");
export const failed: ApiError = new implementation.ApiError(409, "conflict", "Somebody was quicker.", "");

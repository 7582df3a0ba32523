// Plays one scenario with the TypeScript client against the server at argv[2], and prints what it saw as JSON.

import { ApiError, Client } from "../../clients/typescript/src/client.js";

const [address, scenario, token] = process.argv.slice(2);
const seen = [];
const calls = [];

async function collect(session, options) {
  for await (const event of session.events(options)) seen.push([event.run_id, event.seq, event.type]);
}

/** A fetch whose event streams break in the middle of a frame, `times` times. */
function breaking(times) {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (init.headers.accept !== "text/event-stream" || times-- <= 0) return response;
    const reader = response.body.getReader();
    const { value } = await reader.read();
    await reader.cancel();
    const half = value.slice(0, Math.ceil(value.length * 0.7));
    let given = false;
    const body = new ReadableStream({
      pull(controller) {
        if (given) controller.error(new Error("the connection broke"));
        else controller.enqueue(half);
        given = true;
      },
    });
    return new Response(body, { status: 200, headers: response.headers });
  };
}

const scenarios = {
  /** A client tool, one that fails, one whose result does not fit, and a question to a person. */
  async tools() {
    const client = new Client(address, { name: "test page", fetch: breaking(3) });
    const session = client.session("editor");
    session.tool("get_selection", async ({ file }, call) => {
      calls.push([call.name, file, call.timeoutSeconds]);
      return calls.length === 1 ? { text: "x = 1", line: 3 } : { text: "no line" };
    });
    session.tool("open_file", () => {
      throw new Error("no such file");
    });
    const run = await session.send("What have I marked?");
    await collect(session);
    const waiting = await client.request("GET /api/runs/{run_id}", { path: { run_id: run.run_id } });
    const again = client.session("editor", { ...session.position });
    await again.answer(waiting.gate, { answers: { 0: "Red" } });
    let refused = 0;
    await again.answer(waiting.gate, { answers: { 0: "Blue" } }).catch((error) => {
      refused = error instanceof ApiError ? error.status : -1;
    });
    await collect(again);
    return { refused, asked: waiting.gate.kind };
  },
  /** A call of a tool that this session does not have is left to the caller. */
  async onlooker() {
    const session = new Client(address).session("editor");
    const run = await session.send("What have I marked?");
    let gate;
    for await (const event of session.events()) if (event.type === "gate_opened") gate = event;
    await session.answer(gate, { error: "not available here" });
    await collect(session);
    return { runId: run.run_id };
  },
  /** Two turns with an agent of the server's own, questions answered by their defaults. */
  async pages() {
    const client = new Client(address, { token, fetch: breaking(2) });
    const session = client.session("pages");
    for (const text of ["make me a coffee shop app with 2 pages", "make the background of the menu page dark"]) {
      await session.send(text);
      for (;;) {
        let gate = null;
        for await (const event of session.events()) {
          seen.push([event.run_id, event.seq, event.type]);
          gate = event.type === "gate_opened" ? event : event.type === "run_waiting_input" ? gate : null;
        }
        if (gate === null) break;
        const answer = gate.payload.kind === "questions" ? { answers: {} } : { decision: "approve" };
        await session.answer(gate, answer);
      }
    }
    return { sessionId: session.position.sessionId };
  },
};

console.log(JSON.stringify({ ...(await scenarios[scenario]()), seen, calls }));

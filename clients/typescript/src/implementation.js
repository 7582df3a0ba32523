// What `client.js` gives out. Types are in `client.d.ts`; `tsc` checks this file against them (`test/types.ts`).

/** @typedef {import("./client.js").Position} Position */
/** @typedef {import("./client.js").RunEvent} RunEvent */
/** @typedef {import("./client.js").Run} Run */

const OVER = new Set(["run_completed", "run_failed", "run_cancelled"]);
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   * @param {string} hint
   */
  constructor(status, code, message, hint) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

export class Client {
  /**
   * @param {string} baseUrl
   * @param {import("./client.js").ClientOptions} [options]
   */
  constructor(baseUrl, options = {}) {
    this._baseUrl = baseUrl.replace(/\/+$/, "");
    this._options = options;
    this._name = options.name ?? "typescript";
    this._patienceMs = options.patienceMs ?? 60_000;
  }

  /**
   * @param {string} agent
   * @param {Partial<Position>} [position]
   */
  session(agent, position = {}) {
    return new Session(this, agent, position);
  }

  /**
   * @param {string} route
   * @param {any} [request]
   * @returns {Promise<any>}
   */
  async request(route, request = {}) {
    const response = await this._fetch(route, request);
    const text = await response.text();
    const isJson = (response.headers.get("content-type") ?? "").includes("json");
    return isJson && text ? JSON.parse(text) : text || null;
  }

  /**
   * The response of a route, once it is a success.
   *
   * @param {string} route
   * @param {any} request
   * @returns {Promise<Response>}
   */
  async _fetch(route, { path = {}, query = {}, body, headers = {}, signal }) {
    const [method = "GET", template = ""] = route.split(" ");
    const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name])));
    const url = new URL(this._baseUrl + filled);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
    }
    const { token, fetch: ask = fetch } = this._options;
    const response = await ask(url, {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok) throw await toError(response);
    return response;
  }
}

export class Session {
  /**
   * @param {Client} client
   * @param {string} agent
   * @param {Partial<Position>} position
   */
  constructor(client, agent, position) {
    this._client = client;
    this._agent = agent;
    /** @type {Map<string, (args: any, call: import("./client.js").ToolCallInfo) => any>} */
    this._tools = new Map();
    /** @type {Map<string, import("./client.js").EventOf<"gate_opened">>} */
    this._calls = new Map();
    /** @type {Position} */
    this.position = { sessionId: null, runId: null, lastSeq: 0, ...position };
  }

  /**
   * @param {string} name
   * @param {(args: any, call: import("./client.js").ToolCallInfo) => any} run
   */
  tool(name, run) {
    this._tools.set(name, run);
    return this;
  }

  /**
   * @param {string} text
   * @param {import("./client.js").MessageOptions} [options]
   * @returns {Promise<Run>}
   */
  async send(text, options = {}) {
    const body = { message: text, agent: this._agent, session_id: this.position.sessionId, ...options };
    /** @type {Run} */
    const run = await this._client.request("POST /api/runs", { body });
    this.position = { sessionId: run.session_id, runId: run.run_id, lastSeq: 0 };
    return run;
  }

  /**
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {AsyncGenerator<RunEvent, void, void>}
   */
  async *events({ signal } = {}) {
    let failingSince = 0;
    let pause = FIRST_PAUSE_MS;
    while (true) {
      try {
        for await (const event of this._stream(signal)) {
          failingSince = 0;
          pause = FIRST_PAUSE_MS;
          this.position = { ...this.position, lastSeq: event.seq };
          yield event;
          if (OVER.has(event.type) || event.type === "run_parked") return;
          if (event.type === "gate_opened" && event.payload.kind === "client") {
            this._calls.set(event.payload.gate_id, event);
          } else if (event.type === "run_waiting_input" && !(await this._goesOn(event.payload.gate_id))) {
            return;
          }
        }
      } catch (error) {
        if (signal?.aborted) throw error;
        if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
        failingSince ||= Date.now();
        if (Date.now() - failingSince > this._client._patienceMs) throw error;
      }
      await wait(pause, signal);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
  }

  /**
   * @param {string | { gate_id: string } | { payload: { gate_id: string } }} gate
   * @param {import("./client.js").GateAnswer} answer
   * @returns {Promise<Run>}
   */
  async answer(gate, answer) {
    const gateId = typeof gate === "string" ? gate : "payload" in gate ? gate.payload.gate_id : gate.gate_id;
    return await this._client.request("POST /api/gates/{gate_id}", {
      path: { gate_id: gateId },
      body: answer,
      headers: { "idempotency-key": crypto.randomUUID() },
    });
  }

  /** @returns {Promise<Run>} */
  async cancel() {
    return await this._client.request("POST /api/runs/{run_id}/cancel", { path: { run_id: this._runId() } });
  }

  _runId() {
    if (this.position.runId === null) throw new Error("The session has no run yet: send a message first.");
    return this.position.runId;
  }

  /**
   * The events after the last one that was seen, as long as the connection holds.
   *
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<RunEvent, void, void>}
   */
  async *_stream(signal) {
    const response = await this._client._fetch("GET /api/runs/{run_id}/events", {
      path: { run_id: this._runId() },
      query: { since_seq: this.position.lastSeq },
      headers: { accept: "text/event-stream" },
      signal,
    });
    if (response.body === null) throw new Error("The stream has no body.");
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    try {
      while (true) {
        const { done, value } = await reader.read();
        if (done) return;
        text = (text + decoder.decode(value, { stream: true })).replaceAll("\r\n", "\n");
        const frames = text.split("\n\n");
        text = frames.pop() ?? "";
        for (const frame of frames) {
          const lines = frame.split("\n").filter((line) => line.startsWith("data:"));
          if (lines.length === 0) continue;
          /** @type {RunEvent} */
          const event = JSON.parse(lines.map((line) => line.slice(5).trimStart()).join("\n"));
          if (event.seq > this.position.lastSeq) yield event;
        }
      }
    } finally {
      await reader.cancel().catch(() => undefined); // the connection may be broken already
    }
  }

  /**
   * Whether the run goes on from this gate without the caller: a registered tool has answered it, or somebody has.
   *
   * @param {string} gateId
   */
  async _goesOn(gateId) {
    const path = { gate_id: gateId };
    const gate = await this._client.request("GET /api/gates/{gate_id}", { path });
    if (gate.status !== "open") return true;
    const run = gate.kind === "client" ? this._tools.get(gate.details.tool) : undefined;
    if (run === undefined) return false;
    const call = { name: gate.details.tool, gateId, timeoutSeconds: gate.details.timeout_seconds };
    const client = this._client._name;
    /** @type {import("./client.js").GateAnswer} */
    let answer;
    try {
      answer = { result: (await run(gate.details.arguments, call)) ?? null, client };
    } catch (error) {
      answer = { error: messageOf(error), client };
    }
    try {
      await this.answer(gateId, answer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 409) return true; // another client was quicker
      if (!("result" in answer) || error.status >= 500) throw error;
      await this.answer(gateId, { error: `the result was refused: ${error.message}`.slice(0, 2_000), client });
    }
    return true;
  }
}

/** @param {Response} response */
async function toError(response) {
  const text = await response.text();
  try {
    const told = JSON.parse(text);
    const error = told.error ?? told;
    const message = error.message ?? JSON.stringify(told.detail ?? told);
    return new ApiError(response.status, error.code ?? "http", message, error.hint ?? "");
  } catch {
    return new ApiError(response.status, "http", text.slice(0, 500) || response.statusText, "");
  }
}

/** @param {unknown} error */
function messageOf(error) {
  const message = error instanceof Error ? error.message : String(error);
  return (message || "it failed without a message").slice(0, 2_000);
}

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function wait(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}

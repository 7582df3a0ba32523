// The public face of the client. `api.d.ts` beside it is generated.

import type { EventOf, Gate, Json, JsonObject, Routes, Run, RunEvent } from "./api.js";

export type * from "./api.js";

export interface ClientOptions {
  /** The server's LOOPWRIGHT_TOKEN, where it has one. */
  token?: string;
  /** Tells the journal who answered the calls of client tools. */
  name?: string;
  /** In the place of the global `fetch`. */
  fetch?: typeof fetch;
  /** How long a stream that cannot be had is asked for again before the error is thrown; 60,000 unless told. */
  patienceMs?: number;
}

/** What a request takes beside its route: whatever the route's type names. */
export type RequestOf<R extends keyof Routes> = Omit<Routes[R], "response"> & {
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** An answer of the server that is no success, with the server's own code and hint. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;
  constructor(status: number, code: string, message: string, hint: string);
}

export class Client {
  constructor(baseUrl: string, options?: ClientOptions);
  /** One typed request: `client.request("GET /api/runs/{run_id}", { path: { run_id } })`. Throws an ApiError. */
  request<R extends keyof Routes>(
    route: R,
    ...request: {} extends RequestOf<R> ? [request?: RequestOf<R>] : [request: RequestOf<R>]
  ): Promise<Routes[R]["response"]>;
  /** A session with this agent: a new one, or where an earlier one was left (`session.position`). */
  session(agent: string, position?: Partial<Position>): Session;
}

/** Where a session was left: keep it, and a page that is loaded anew goes on without a gap or a repetition. */
export interface Position {
  sessionId: string | null;
  runId: string | null;
  /** The last event that was seen of this run. */
  lastSeq: number;
}

export interface MessageOptions {
  /** Up to three images, as data URLs. */
  images?: string[];
  /** The agent's own parameters of this run. */
  options?: JsonObject;
}

/** What a client tool is told beside its arguments. */
export interface ToolCallInfo {
  name: string;
  gateId: string;
  timeoutSeconds: number;
}

export type ToolFunction<Arguments> = (
  args: Arguments,
  call: ToolCallInfo,
) => Json | undefined | Promise<Json | undefined> | Promise<void> | void;

export type GateAnswer =
  | { answers: { [question: string]: string | string[] } }
  | { decision: "approve" | "reject"; comment?: string; scope?: "once" | "run" | "always" }
  | { result: Json; client?: string }
  | { error: string; client?: string };

export class Session {
  readonly position: Position;
  /** Register a function for a client tool: its calls are run and answered while `events` is iterated. */
  tool<Arguments = JsonObject>(name: string, run: ToolFunction<Arguments>): this;
  /** Begin a turn: a run of the agent with this message. */
  send(text: string, options?: MessageOptions): Promise<Run>;
  /**
   * The run's events from the last one seen. Ends when the run is over or waits for somebody else than a registered
   * tool: answer its gate, and iterate again. A broken connection is taken up where it broke.
   */
  events(options?: { signal?: AbortSignal }): AsyncGenerator<RunEvent, void, void>;
  /** Answer a gate, once; the run goes on. Throws an ApiError with status 409 if somebody was quicker. */
  answer(gate: string | EventOf<"gate_opened"> | Pick<Gate, "gate_id">, answer: GateAnswer): Promise<Run>;
  /** Stop the run. */
  cancel(): Promise<Run>;
}

/**
 * The control plane's side of the protocol without its database: hands an agent a fixed set of checks and acknowledges
 * what it sends, so that a benchmark measures the agent alone.
 */
import { once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { create } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import {
  AssignmentSchema,
  CheckSchema,
  type ResultBatch,
  RunnerService,
  type SessionRequest,
  type SessionResponse,
  SessionResponseSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";

export interface BenchCheck {
  /** Default: http. */
  type?: string;
  config: unknown;
  frequencySeconds: number;
  phaseMs: number;
}

export interface BenchControlPlane {
  port: number;
  /** Called with every batch. */
  onBatch: (batch: ResultBatch) => void;
  results: number;
  close(): Promise<void>;
}

export async function startBenchControlPlane(checks: BenchCheck[]): Promise<BenchControlPlane> {
  const state: Pick<BenchControlPlane, "onBatch" | "results"> = { onBatch: () => undefined, results: 0 };
  const routes = (router: ConnectRouter) =>
    router.service(RunnerService, { session: (requests) => session(requests, checks, state) });
  const server = http2.createServer(connectNodeAdapter({ routes }));
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on("session", (opened) => {
    sessions.add(opened);
    opened.on("close", () => sessions.delete(opened));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(state, {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const opened of sessions) opened.destroy();
      server.close();
      await once(server, "close");
    },
  });
}

async function* session(
  requests: AsyncIterable<SessionRequest>,
  checks: BenchCheck[],
  state: Pick<BenchControlPlane, "onBatch" | "results">,
): AsyncGenerator<SessionResponse> {
  for await (const { message } of requests) {
    if (message.case === "hello") yield* opening(message.value.agentSentAtMs, checks);
    else if (message.case === "heartbeat")
      yield response("heartbeatReply", {
        agentSentAtMs: message.value.agentSentAtMs,
        serverTimeMs: BigInt(Date.now()),
      });
    else if (message.case === "resultBatch") {
      state.results += message.value.statuses.length;
      state.onBatch(message.value);
      yield response("ack", { seq: message.value.seq, rejections: [] });
    }
  }
}

function* opening(agentSentAtMs: bigint, checks: BenchCheck[]): Generator<SessionResponse> {
  yield response("welcome", {
    serverTimeMs: BigInt(Date.now()),
    agentSentAtMs,
    heartbeatIntervalMs: 5000,
    leaseMs: 15_000,
    graceMs: 30_000,
    controlPlaneVersion: "bench",
    runnerId: "rnr_bench",
    locations: [{ locationKey: 1, locationId: "loc_bench", name: "bench" }],
    hosted: false,
  });
  const partSize = 1000;
  for (let from = 0; from < checks.length; from += partSize) {
    const part = checks.slice(from, from + partSize);
    yield response("snapshot", {
      checks: part.map((check, i) =>
        create(CheckSchema, {
          checkKey: BigInt(from + i + 1),
          checkId: `chk_${from + i}`,
          name: `check ${from + i}`,
          type: check.type ?? "http",
          configJson: JSON.stringify(check.config),
          frequencySeconds: check.frequencySeconds,
          phaseMs: check.phaseMs,
          revision: 1n,
        }),
      ),
      assignments: part.map((_, i) =>
        create(AssignmentSchema, {
          checkKey: BigInt(from + i + 1),
          locationKey: 1,
          staggerMs: 0,
          effectiveFromMs: BigInt(Date.now()),
        }),
      ),
      last: from + partSize >= checks.length,
    });
  }
}

type Case = NonNullable<SessionResponse["message"]["case"]>;

function response(name: Case, value: unknown): SessionResponse {
  return create(SessionResponseSchema, { message: { case: name, value } as SessionResponse["message"] });
}

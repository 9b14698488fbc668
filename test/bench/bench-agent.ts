/** A sender of results over the real protocol, as fast as the control plane acknowledges them. */
import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import {
  ResultBatchSchema,
  ResultStatus,
  RunnerService,
  type SessionRequest,
  SessionRequestSchema,
} from "@svc/proto/svc/runner/v1/runner_pb";
import type { LoadCheck } from "./bench-database.ts";

const RESULTS_PER_BATCH = 500;
const WINDOW = 16;

/**
 * Sends `count` success results, one per check and slot: the slots go back from `newestSlotMs`, 10 s each.
 * Resolves when the last one is acknowledged. @returns how many were rejected
 */
export async function sendResults(
  options: { port: number; runnerKey: string; runnerUuid: string },
  checks: readonly LoadCheck[],
  locationKey: number,
  newestSlotMs: number,
  count: number,
): Promise<number> {
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${options.port}` });
  const outgoing = new Outgoing();
  const batches = batchesOf(checks, locationKey, newestSlotMs, count);
  const end = new AbortController();
  let unacknowledged = 0;
  let rejected = 0;

  outgoing.push(hello(options.runnerUuid));
  const send = () => {
    while (unacknowledged < WINDOW) {
      const next = batches.next();
      if (next.done) return;
      outgoing.push(next.value);
      unacknowledged++;
    }
  };
  const responses = createClient(RunnerService, transport).session(outgoing, {
    headers: { authorization: `Bearer ${options.runnerKey}` },
    signal: end.signal,
  });
  for await (const { message } of responses) {
    if (message.case === "snapshot" && message.value.last) send();
    if (message.case !== "ack") continue;
    unacknowledged--;
    rejected += message.value.rejections.length;
    send();
    if (unacknowledged === 0) break;
  }
  outgoing.end();
  end.abort();
  return rejected;
}

export interface ResultStream {
  /** Sends a failure of each check, at its newest slot. Resolves when they are acknowledged. */
  sendFailures(checks: readonly LoadCheck[], locationKey: number): Promise<void>;
  close(): void;
}

/** A stream over which results are sent when they are wanted. */
export async function openResultStream(options: {
  port: number;
  runnerKey: string;
  runnerUuid: string;
}): Promise<ResultStream> {
  const outgoing = new Outgoing();
  const end = new AbortController();
  const waiting = new Map<bigint, () => void>();
  outgoing.push(hello(options.runnerUuid));
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${options.port}` });
  const responses = createClient(RunnerService, transport).session(outgoing, {
    headers: { authorization: `Bearer ${options.runnerKey}` },
    signal: end.signal,
  });
  await new Promise<void>((resolve, reject) => {
    const read = async () => {
      for await (const { message } of responses) {
        if (message.case === "snapshot" && message.value.last) resolve();
        if (message.case !== "ack") continue;
        if (message.value.rejections.length > 0) throw new Error("results were rejected");
        waiting.get(message.value.seq)?.();
      }
    };
    read().catch((error) => (end.signal.aborted ? undefined : reject(error)));
  });
  let seq = 0n;
  return {
    sendFailures: (checks, locationKey) =>
      new Promise((resolve) => {
        waiting.set(++seq, resolve);
        outgoing.push(request("resultBatch", failuresOf(seq, checks, locationKey)));
      }),
    close: () => {
      end.abort();
      outgoing.end();
    },
  };
}

function failuresOf(seq: bigint, checks: readonly LoadCheck[], locationKey: number) {
  const nowMs = Date.now();
  const each = <Value>(value: Value) => checks.map(() => value);
  return create(ResultBatchSchema, {
    seq,
    checkKeys: checks.map(({ key }) => BigInt(key)),
    locationKeys: each(locationKey),
    slotsMs: checks.map(({ phaseMs }) => BigInt(Math.floor((nowMs - phaseMs) / 10_000) * 10_000 + phaseMs)),
    startDelaysMs: each(1),
    elapsedUs: each(3000),
    statuses: each(ResultStatus.FAILURE),
    httpStatusCodes: each(503),
    responseTimeUs: each(2000),
    dnsLookupUs: each(100),
    tcpConnectUs: each(200),
    tlsHandshakeUs: each(-1),
    ttfbUs: each(1500),
    contentTransferUs: each(200),
    traceIds: new Uint8Array(16 * checks.length).fill(7),
  });
}

function hello(runnerUuid: string): SessionRequest {
  return request("hello", {
    protocolVersion: 1,
    runnerUuid,
    processUuid: runnerUuid,
    agentVersion: "bench",
    hostname: "bench",
    capabilities: ["http"],
    capacityPerSecond: 1000,
    agentSentAtMs: BigInt(Date.now()),
  });
}

function* batchesOf(checks: readonly LoadCheck[], locationKey: number, newestSlotMs: number, count: number) {
  let seq = 0n;
  for (let sent = 0; sent < count; sent += RESULTS_PER_BATCH) {
    const size = Math.min(RESULTS_PER_BATCH, count - sent);
    const indices = Array.from({ length: size }, (_, i) => sent + i);
    const checkOf = (index: number) => checks[index % checks.length] as LoadCheck;
    const slotOf = (index: number) => {
      const back = Math.floor(index / checks.length) + 1;
      return BigInt((Math.floor(newestSlotMs / 10_000) - back) * 10_000 + checkOf(index).phaseMs);
    };
    yield request(
      "resultBatch",
      create(ResultBatchSchema, {
        seq: ++seq,
        checkKeys: indices.map((index) => BigInt(checkOf(index).key)),
        locationKeys: indices.map(() => locationKey),
        slotsMs: indices.map(slotOf),
        startDelaysMs: indices.map(() => 1),
        elapsedUs: indices.map(() => 3000),
        statuses: indices.map(() => ResultStatus.SUCCESS),
        httpStatusCodes: indices.map(() => 200),
        responseTimeUs: indices.map((index) => 2000 + (index % 1000)),
        dnsLookupUs: indices.map(() => 100),
        tcpConnectUs: indices.map(() => 200),
        tlsHandshakeUs: indices.map(() => -1),
        ttfbUs: indices.map(() => 1500),
        contentTransferUs: indices.map(() => 200),
        traceIds: new Uint8Array(16 * size).fill(7),
      }),
    );
  }
}

type Case = NonNullable<SessionRequest["message"]["case"]>;

function request(name: Case, value: unknown): SessionRequest {
  return create(SessionRequestSchema, { message: { case: name, value } as SessionRequest["message"] });
}

/** Messages that are pushed from one side and read as an async iterable from the other. */
class Outgoing implements AsyncIterable<SessionRequest> {
  #waiting: SessionRequest[] = [];
  #wake: (() => void) | undefined;
  #ended = false;

  push(message: SessionRequest): void {
    this.#waiting.push(message);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SessionRequest> {
    while (true) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

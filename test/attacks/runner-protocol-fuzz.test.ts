import { randomInt } from "node:crypto";
import http2 from "node:http2";
import { setTimeout as delay } from "node:timers/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { HelloSchema, type SessionRequest, SessionRequestSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aBatch } from "../../control-plane/test-support/fleet.ts";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { callHeaders, connectRaw, FLAG, FRAME, frame } from "../harness/http2-frames.ts";
import { longestWaitDuring, memoryHighWaterBytes, WAIT_CPU_MS_MAX } from "../harness/pressure.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";

/** 2,000 is the number of the fast tests of one process; here every input needs a stream. */
const INPUTS = Math.ceil(Number(process.env.SVC_FUZZ_INPUTS ?? 2_000) / 10);
const SEED = Number(process.env.SVC_FUZZ_SEED ?? randomInt(2 ** 31));
const MEMORY_BYTES_MAX = 300 * 1024 * 1024;
const STREAMS_PER_CONNECTION = 50;

let stack: TestStack;
let controlPlane: ControlPlane;
let runnerKey: string;
beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane({ databaseUrl: (await stack.database()).url });
  runnerKey = (await createLocation(controlPlane, "here")).runnerKey;
});
afterAll(() => stack[Symbol.asyncDispose](), 60_000);

/** Returns numbers from 0 to 1 that the seed decides (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomFrom(SEED);
const upTo = (max: number) => Math.floor(random() * max);
const oneOf = <T>(values: readonly T[]) => values[upTo(values.length)] as T;

const bytesOf = (message: SessionRequest["message"]) =>
  Buffer.from(toBinary(SessionRequestSchema, create(SessionRequestSchema, { message })));
const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    checkKey: i,
    locationKey: i % 3,
    slotMs: Date.now() - i * 10_000,
  }));

/** Valid messages of agents, the Hello first. */
const MESSAGES = [
  bytesOf({
    case: "hello",
    value: create(HelloSchema, {
      protocolVersion: 1,
      runnerUuid: "00000000-0000-4000-8000-000000000001",
      processUuid: "00000000-0000-4000-8000-000000000002",
      agentVersion: "1",
      hostname: "host",
      capabilities: ["http", "browser"],
      capacityPerSecond: 10,
      agentSentAtMs: 1n,
    }),
  }),
  bytesOf({ case: "resultBatch", value: aBatch(1, rows(40)) }),
  bytesOf({ case: "heartbeat", value: { $typeName: "svc.runner.v1.Heartbeat" } as never }),
  bytesOf({ case: "goodbye", value: { $typeName: "svc.runner.v1.Goodbye" } }),
];

/** Ways to spoil a message. */
const MUTATIONS: ((message: Buffer) => Buffer)[] = [
  (message) => {
    const flipped = Buffer.from(message);
    for (let i = 0; i <= upTo(4) && flipped.length > 0; i++) {
      const at = upTo(flipped.length);
      flipped[at] = (flipped[at] as number) ^ (1 << upTo(8));
    }
    return flipped;
  },
  (message) => message.subarray(0, upTo(message.length + 1)),
  (message) => Buffer.concat(new Array(1 + upTo(20)).fill(message)),
  (message) => Buffer.concat([message, Buffer.alloc(10, 0xff), Buffer.of(1)]),
  (message) => Buffer.concat([Buffer.of(0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f), message]),
  (message) => Buffer.concat([message, Buffer.alloc(upTo(100_000), Buffer.of(0x78, 0))]),
  (message) => Buffer.concat([Buffer.alloc(upTo(10_000), 0x0b), message]),
  (message) => {
    const cut = upTo(message.length);
    return Buffer.concat([message.subarray(cut), message.subarray(0, cut)]);
  },
  () => Buffer.from(Array.from({ length: upTo(300) }, () => upTo(256))),
  (message) => message,
];

/** A message with its prefix, which is now and then wrong too. */
function envelope(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(upTo(20) === 0 ? upTo(256) : 0, 0);
  prefix.writeUInt32BE(upTo(20) === 0 ? upTo(2 ** 32) : message.length, 1);
  return Buffer.concat([prefix, message]);
}

/**
 * Sends a stream of spoilt messages with a valid key. Resolves when the stream has ended, or soon: results of checks
 * that nobody knows are looked up at a bounded pace, so their stream may take longer.
 */
async function sendStream(client: http2.ClientHttp2Session): Promise<void> {
  const stream = client.request({
    ":method": "POST",
    ":path": `/svc.runner.v1.RunnerService/${oneOf(["Session", "Session", "Session", "GetApiSpec", "PutArtifact"])}`,
    "content-type": "application/grpc+proto",
    te: "trailers",
    authorization: `Bearer ${runnerKey}`,
  });
  stream.on("error", () => undefined);
  stream.resume();
  const hello = MESSAGES[0] as Buffer;
  const begin = upTo(2) === 0 ? [envelope(hello)] : [];
  const rest = Array.from({ length: 1 + upTo(3) }, () => envelope(oneOf(MUTATIONS)(oneOf(MESSAGES))));
  stream.end(Buffer.concat([...begin, ...rest]));
  await Promise.race([new Promise<void>((resolve) => stream.once("close", () => resolve())), delay(300)]);
}

/** Sends frames in an odd order. Resolves soon, or when the connection has ended. */
async function sendFrames(): Promise<void> {
  const connection = await connectRaw(controlPlane.runnerPort);
  const authorization = [["authorization", `Bearer ${runnerKey}`]] as const;
  const frames = Array.from({ length: 1 + upTo(30) }, () => {
    const streamId = upTo(8);
    if (upTo(3) === 0)
      return frame(
        FRAME.headers,
        FLAG.endHeaders,
        streamId,
        callHeaders("Session", upTo(2) ? authorization : []),
      );
    const payload = Buffer.from(Array.from({ length: upTo(40) }, () => upTo(256)));
    return frame(upTo(11), upTo(256), streamId, payload);
  });
  connection.socket.write(Buffer.concat(frames));
  await Promise.race([connection.closed, delay(20)]);
  connection.socket.destroy();
}

test(`spoilt messages end their own streams and nothing else (SVC_FUZZ_SEED=${SEED})`, async () => {
  const before = memoryHighWaterBytes(controlPlane.process.pid);
  const { waitCpuMs } = await longestWaitDuring(controlPlane, async () => {
    for (let sent = 0; sent < INPUTS; sent += STREAMS_PER_CONNECTION) {
      const client = http2.connect(`http://127.0.0.1:${controlPlane.runnerPort}`);
      client.on("error", () => undefined);
      for (let i = 0; i < STREAMS_PER_CONNECTION && !client.destroyed; i += 5)
        await Promise.all(Array.from({ length: 5 }, () => sendStream(client)));
      client.destroy();
    }
  });
  expect(controlPlane.process.hasEnded()).toBe(false);
  expect(waitCpuMs).toBeLessThan(WAIT_CPU_MS_MAX);
  expect(memoryHighWaterBytes(controlPlane.process.pid) - before).toBeLessThan(MEMORY_BYTES_MAX);
}, 1_200_000);

test(`frames in odd orders end their own connections and nothing else (SVC_FUZZ_SEED=${SEED})`, async () => {
  const { waitCpuMs } = await longestWaitDuring(controlPlane, async () => {
    for (let sent = 0; sent < INPUTS; sent++) await sendFrames();
  });
  expect(controlPlane.process.hasEnded()).toBe(false);
  expect(waitCpuMs).toBeLessThan(WAIT_CPU_MS_MAX);
  expect(controlPlane.process.output()).not.toMatch(/uncaught|"level":(50|60)/i);
}, 1_200_000);

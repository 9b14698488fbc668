import { randomBytes } from "node:crypto";
import http2 from "node:http2";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ControlPlane } from "../harness/control-plane.ts";
import { createLocation } from "../harness/fleet.ts";
import { callHeaders, connectRaw, FLAG, FRAME, flood, frame } from "../harness/http2-frames.ts";
import { longestWaitDuring, memoryHighWaterBytes, WAIT_CPU_MS_MAX } from "../harness/pressure.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

const MIB = 1024 * 1024;
const METHODS = ["Session", "GetApiSpec", "PutArtifact"];
const UNAUTHENTICATED = "16";

let stack: TestStack;
let controlPlane: ControlPlane;
let runnerKey: string;
beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane({ databaseUrl: (await stack.database()).url });
  runnerKey = (await createLocation(controlPlane, "here")).runnerKey;
});
afterAll(() => stack[Symbol.asyncDispose](), 60_000);

interface Call {
  method: string;
  key?: string;
  headers?: http2.OutgoingHttpHeaders;
  body?: Uint8Array;
}

/** Calls a method over a connection of its own. @returns the status that the answer has in its headers or after its body */
async function call({
  method,
  key,
  headers = {},
  body,
}: Call): Promise<{ status?: string; message?: string }> {
  const client = http2.connect(`http://127.0.0.1:${controlPlane.runnerPort}`);
  client.on("error", () => undefined);
  const stream = client.request({
    ":method": "POST",
    ":path": `/svc.runner.v1.RunnerService/${method}`,
    "content-type": "application/grpc+proto",
    te: "trailers",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...headers,
  });
  stream.on("error", () => undefined);
  const seen: http2.IncomingHttpHeaders = {};
  stream.on("response", (answer) => Object.assign(seen, answer));
  stream.on("trailers", (answer) => Object.assign(seen, answer));
  stream.resume();
  if (body) stream.end(body);
  await new Promise((resolve) => stream.once("close", resolve));
  client.destroy();
  const message = seen["grpc-message"];
  return {
    ...(seen["grpc-status"] === undefined ? {} : { status: String(seen["grpc-status"]) }),
    ...(message === undefined ? {} : { message: decodeURIComponent(String(message)) }),
  };
}

function envelope(content: Uint8Array, flags = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(flags, 0);
  prefix.writeUInt32BE(content.length, 1);
  return Buffer.concat([prefix, content]);
}

/** 16 MiB of fields that no message has: 2 bytes each. */
const manyFields = Buffer.alloc(16 * MIB, Buffer.of(0x78, 0));
const wrongKey = () => `rk_${randomBytes(32).toString("hex")}`;

describe("a stranger", () => {
  test.each(METHODS)("is refused by %s though no body ever comes", async (method) => {
    expect(await call({ method })).toMatchObject({
      status: UNAUTHENTICATED,
      message: expect.stringMatching(/no runner key/),
    });
    expect(await call({ method, key: wrongKey() })).toMatchObject({ status: UNAUTHENTICATED });
  });

  test.each(METHODS)("costs %s neither time nor memory by compressed messages", async (method) => {
    const before = memoryHighWaterBytes(controlPlane.process.pid);
    const calls = [brotliCompressSync, gzipSync].flatMap((compress, index) => {
      const headers = { "grpc-encoding": index === 0 ? "br" : "gzip" };
      const body = envelope(compress(manyFields), 1);
      return [
        { method, headers, body },
        { method, headers, body, key: wrongKey() },
      ];
    });
    const { result, waitCpuMs } = await longestWaitDuring(controlPlane, () => Promise.all(calls.map(call)));
    expect(result.map(({ status }) => status)).toEqual(calls.map(() => UNAUTHENTICATED));
    expect(waitCpuMs).toBeLessThan(WAIT_CPU_MS_MAX);
    expect(memoryHighWaterBytes(controlPlane.process.pid) - before).toBeLessThan(200 * MIB);
  });

  test("that guesses keys is soon refused without a look at the database, and keeps no agent out", async () => {
    const asAgent = () => call({ method: "GetApiSpec", key: runnerKey, body: envelope(Buffer.of(0x0a, 0)) });
    expect((await asAgent()).status).toBe("5");
    const statuses: (string | undefined)[] = [];
    for (let i = 0; i < 8; i++) {
      const answers = Array.from({ length: 10 }, () => call({ method: "GetApiSpec", key: wrongKey() }));
      statuses.push(...(await Promise.all(answers)).map(({ status }) => status));
    }
    expect(statuses).toContain("8");
    expect((await asAgent()).status).toBe("5");
  });

  test("is answered whatever authority and path a request names", async () => {
    for (const authority of ["127.0.0.1:999999", "[", "%", "a".repeat(5_000)])
      await call({ method: "Session?x", headers: { ":authority": authority }, body: Buffer.alloc(0) });
    for (const path of ["//[", "*", "/%", `/${"a".repeat(10_000)}`])
      await call({ method: "Session", headers: { ":path": path }, body: Buffer.alloc(0) });
    await call({
      method: "Session",
      key: runnerKey,
      headers: { ":authority": "127.0.0.1:999999" },
      body: Buffer.alloc(0),
    });
    expect((await fetch(`${controlPlane.url}/healthz`)).status).toBe(200);
  });
});

describe("a connection ends, and nobody else waits, when it", () => {
  const raw = () => connectRaw(controlPlane.runnerPort);
  const held = async (attack: () => Promise<void>) => {
    const { waitCpuMs } = await longestWaitDuring(controlPlane, attack);
    expect(waitCpuMs).toBeLessThan(WAIT_CPU_MS_MAX);
    expect(controlPlane.process.hasEnded()).toBe(false);
  };

  test("opens and resets streams by the thousand", () =>
    held(async () => {
      const connection = await raw();
      const streams = Array.from({ length: 3_000 }, (_, i) =>
        Buffer.concat([
          frame(FRAME.headers, FLAG.endHeaders, 2 * i + 1, callHeaders("GetApiSpec")),
          frame(FRAME.reset, 0, 2 * i + 1, Buffer.of(0, 0, 0, 8)),
        ]),
      );
      connection.socket.write(Buffer.concat(streams));
      await connection.closed;
    }));

  test.each([
    ["pings", frame(FRAME.ping, 0, 0, Buffer.alloc(8))],
    ["settings", frame(FRAME.settings, 0, 0, Buffer.of(0, 4, 0, 1, 0, 0))],
    ["empty settings", frame(FRAME.settings, 0, 0)],
    ["window updates", frame(FRAME.window, 0, 0, Buffer.of(0, 0, 0, 1))],
    ["priorities", frame(FRAME.priority, 0, 1, Buffer.of(0, 0, 0, 3, 1))],
    ["frames of unknown types", frame(0x50, 0, 0, Buffer.alloc(8))],
  ])("sends %s without end", (_name, part) =>
    held(async () => {
      const connection = await raw();
      await flood(connection, Buffer.concat(new Array(500).fill(part)), 64 * MIB);
      await connection.closed;
    }),
  );

  test("continues its headers without end", () =>
    held(async () => {
      const connection = await raw();
      connection.socket.write(frame(FRAME.headers, 0, 1, callHeaders("Session")));
      const part = frame(
        FRAME.continuation,
        0,
        1,
        Buffer.concat(new Array(100).fill(Buffer.of(0, 1, 97, 1, 98))),
      );
      await flood(connection, Buffer.concat(new Array(20).fill(part)), 64 * MIB);
      await connection.closed;
    }));

  test("sends data for a call that was refused", () =>
    held(async () => {
      const connection = await raw();
      connection.socket.write(frame(FRAME.headers, FLAG.endHeaders, 1, callHeaders("PutArtifact")));
      await flood(connection, frame(FRAME.data, 0, 1, Buffer.alloc(16_000)), 64 * MIB);
      await connection.closed;
    }));

  test(
    "shows no key for some seconds, also when hundreds do that",
    () =>
      held(async () => {
        const connections = await Promise.all(Array.from({ length: 300 }, raw));
        await until("the oldest are gone", () => connections.filter((one) => one.isClosed()).length >= 100);
        await until("all are gone", () => connections.every((one) => one.isClosed()), { withinMs: 20_000 });
      }),
    60_000,
  );
});

/** The protocol as an independent gRPC client speaks it: @grpc/grpc-js with the proto file, none of our generated code. */
import net from "node:net";
import { join } from "node:path";
import grpc from "@grpc/grpc-js";
import protoLoader from "@grpc/proto-loader";
import { type Check, phaseMs, type Result, slotAtOrAfter } from "@svc/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ControlPlane, ROOT } from "../harness/control-plane.ts";
import { createChecks, createLocation } from "../harness/fleet.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

let stack: TestStack;
let controlPlane: ControlPlane;
let location: { locationId: string; runnerKey: string };
beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane();
  location = await createLocation(controlPlane, "by hand");
});
afterAll(() => stack[Symbol.asyncDispose](), 60_000);

interface Message {
  [field: string]: unknown;
}
type Session = grpc.ClientDuplexStream<Message, Message>;
interface RunnerServiceClient extends grpc.Client {
  Session(metadata: grpc.Metadata): Session;
}

/** Opens a stream with the key; collects what comes and how it ends. */
function openSession(key: string) {
  const definition = protoLoader.loadSync(join(ROOT, "proto/svc/runner/v1/runner.proto"), {
    keepCase: true,
    longs: Number,
    enums: String,
    defaults: true,
  });
  const loaded = grpc.loadPackageDefinition(definition) as unknown as {
    svc: { runner: { v1: { RunnerService: new (...of: unknown[]) => RunnerServiceClient } } };
  };
  const client = new loaded.svc.runner.v1.RunnerService(
    `127.0.0.1:${controlPlane.runnerPort}`,
    grpc.credentials.createInsecure(),
  );
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${key}`);
  const stream = client.Session(metadata);
  const received: Message[] = [];
  let ending: grpc.ServiceError | undefined;
  stream.on("data", (message: Message) => received.push(message));
  stream.on("error", (error: grpc.ServiceError) => {
    ending = error;
  });
  return {
    send: (message: Message) => stream.write(message),
    next: (field: string) =>
      until(`a ${field} arrives`, () => received.find((message) => message[field])?.[field] as Message),
    ended: () => until("the stream ends with an error", () => ending),
    isOpen: () => ending === undefined,
    close: () => {
      stream.end();
      client.close();
    },
  };
}

const HELLO = {
  protocol_version: 1,
  runner_uuid: "6f1f0f3e-3a37-4a4e-9d6b-0d2f0a1b2c3d",
  process_uuid: "0b6a1c52-95b5-4c65-8f0a-1f2e3d4c5b6a",
  agent_version: "conformance",
  hostname: "by-hand",
  capabilities: ["http"],
  capacity_per_second: 10,
  agent_sent_at_ms: Date.now(),
};

test("a client of another make gets its assignment, delivers a result and has it acknowledged; twice is once", async () => {
  const [check] = (await createChecks(controlPlane, {
    count: 1,
    locationId: location.locationId,
    url: "http://127.0.0.1:9",
  })) as [Check];
  const session = openSession(location.runnerKey);
  session.send({ hello: HELLO });
  expect(await session.next("welcome")).toMatchObject({
    hosted: false,
    locations: [{ location_id: location.locationId }],
  });
  const snapshot = (await session.next("snapshot")) as {
    checks: { check_key: number }[];
    assignments: Message[];
  };
  expect(snapshot.checks).toHaveLength(1);
  expect(snapshot.assignments).toHaveLength(1);

  const phase = phaseMs(check.id, 10);
  const slotMs = slotAtOrAfter(Date.parse(check.createdAt), 10_000, phase);
  await until("the slot is due", () => Date.now() >= slotMs);
  const batch = {
    check_keys: [snapshot.checks[0]?.check_key],
    location_keys: [(snapshot.assignments[0] as { location_key: number }).location_key],
    slots_ms: [slotMs],
    start_delays_ms: [3],
    elapsed_us: [1500],
    statuses: ["RESULT_STATUS_SUCCESS"],
    http_status_codes: [200],
    response_time_us: [1234],
    dns_lookup_us: [-1],
    tcp_connect_us: [200],
    tls_handshake_us: [-1],
    ttfb_us: [900],
    content_transfer_us: [100],
    trace_ids: Buffer.alloc(16, 0xab),
  };
  session.send({ result_batch: { ...batch, seq: 1 } });
  session.send({ result_batch: { ...batch, seq: 2 } });
  expect(await session.next("ack")).toMatchObject({ seq: 1, rejections: [] });

  const { results } = await until("the result is stored", async () => {
    const answer = await controlPlane.ok<{ results: Result[] }>("GET", `/api/checks/${check.id}/results`);
    return answer.results.length > 0 ? answer : undefined;
  });
  expect(results).toHaveLength(1);
  expect(results[0]).toMatchObject({
    status: "success",
    responseTimeMs: 1.234,
    timing: { tcpConnectMs: 0.2, ttfbMs: 0.9, contentTransferMs: 0.1, totalMs: 1.234 },
    traceId: "ab".repeat(16),
    slotAt: new Date(slotMs).toISOString(),
  });
  session.close();
});

test("what can't be stored is rejected by index and reason, and harms none of its neighbours", async () => {
  const session = openSession(location.runnerKey);
  session.send({ hello: { ...HELLO, runner_uuid: "6f1f0f3e-3a37-4a4e-9d6b-0d2f0a1b2c3e" } });
  await session.next("snapshot");
  const two = (value: unknown) => [value, value];
  session.send({
    result_batch: {
      seq: 1,
      check_keys: two(999_999),
      location_keys: two(1),
      slots_ms: two(Date.now() - 1000),
      start_delays_ms: two(0),
      elapsed_us: two(1),
      statuses: two("RESULT_STATUS_SUCCESS"),
      http_status_codes: two(200),
      response_time_us: two(1),
      dns_lookup_us: two(-1),
      tcp_connect_us: two(-1),
      tls_handshake_us: two(-1),
      ttfb_us: two(-1),
      content_transfer_us: two(-1),
      trace_ids: Buffer.alloc(32),
    },
  });
  const ack = (await session.next("ack")) as { rejections: { index: number; reason: string }[] };
  expect(ack.rejections.map(({ index }) => index)).toEqual([0, 1]);
  expect(ack.rejections[0]?.reason).toEqual(expect.any(String));
  expect(session.isOpen()).toBe(true);
  session.close();
});

test.each([
  ["an unknown runner key", `rk_${"0".repeat(64)}`, HELLO, grpc.status.UNAUTHENTICATED],
  ["an API key", () => controlPlane.apiKey, HELLO, grpc.status.UNAUTHENTICATED],
  [
    "a protocol version of the future",
    () => location.runnerKey,
    { ...HELLO, protocol_version: 99 },
    grpc.status.FAILED_PRECONDITION,
  ],
  [
    "a stream that does not begin with Hello",
    () => location.runnerKey,
    undefined,
    grpc.status.INVALID_ARGUMENT,
  ],
])("%s ends the stream with its status and a sentence", async (_, key, hello, status) => {
  const session = openSession(typeof key === "string" ? key : key());
  session.send(hello ? { hello } : { heartbeat: { agent_sent_at_ms: 1 } });
  const ending = await session.ended();
  expect(ending.code).toBe(status);
  expect(ending.details.length).toBeGreaterThan(10);
  session.close();
});

test("bytes that are no HTTP/2 at all leave the other streams alone", async () => {
  const session = openSession(location.runnerKey);
  session.send({ hello: { ...HELLO, runner_uuid: "6f1f0f3e-3a37-4a4e-9d6b-0d2f0a1b2c3f" } });
  await session.next("welcome");

  const garbage = net.connect(controlPlane.runnerPort, "127.0.0.1");
  garbage.on("error", () => undefined);
  garbage.write("GET / HTTP/1.1\r\n\r\n".repeat(100));
  garbage.write(Buffer.alloc(65_536, 0xff));
  garbage.resume();
  await until("the garbage is hung up on", () => garbage.destroyed);

  session.send({ heartbeat: { agent_sent_at_ms: 42 } });
  expect(await session.next("heartbeat_reply")).toMatchObject({ agent_sent_at_ms: 42 });
  session.close();
});

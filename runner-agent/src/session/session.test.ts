import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import type { SessionRequest } from "@svc/proto/svc/runner/v1/runner_pb";
import { afterEach, describe, expect, it } from "vitest";
import { aRecord } from "../../test-support/builders.ts";
import { type AgentStream, answerPolitely, FakeControlPlane } from "../../test-support/fake-control-plane.ts";
import { TEST_CERTIFICATE } from "../../test-support/tls.ts";
import { until } from "../../test-support/until.ts";
import { setTimer } from "../base/timer.ts";
import type { AssignmentDelta, AssignmentSnapshot, Dispatch, GivenBackSlot } from "../model/assignment.ts";
import { Session } from "./session.ts";
import type { SessionParts } from "./session-parts.ts";
import type { StreamEnd } from "./stream-end.ts";

const KEY = `rk_${"a".repeat(64)}`;
const PROTO_CHECK = {
  checkKey: 5n,
  checkId: "chk_5",
  type: "http",
  frequencySeconds: 60,
  phaseMs: 10,
  revision: 2n,
};

/** Ends of the things that a test started. */
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function aControlPlane(options: Parameters<typeof FakeControlPlane.start>[0] = {}) {
  const plane = await FakeControlPlane.start(options);
  cleanups.push(() => plane.stop());
  return plane;
}

/** A session with a queue in memory, recording what it is told. */
function aSession(url: string, changes: Partial<SessionParts> = {}) {
  const results = new Map<number, ReturnType<typeof aRecord>>();
  const giveBacks: GivenBackSlot[] = [];
  const told = {
    welcomes: 0,
    snapshots: [] as AssignmentSnapshot[],
    deltas: [] as AssignmentDelta[],
    orders: [] as Dispatch[],
    ends: [] as (StreamEnd & { isFirst: boolean })[],
    serverTimes: [] as number[],
    rejected: [] as string[],
  };
  const session = new Session({
    url,
    runnerKey: KEY,
    ca: undefined,
    queue: {
      read: (after, limit) =>
        [...results]
          .flatMap(([sequence, record]) => (sequence > after ? [{ sequence, record }] : []))
          .slice(0, limit),
      remove: (sequences) => {
        for (const sequence of sequences) results.delete(sequence);
      },
    },
    localMs: () => Date.now(),
    random: () => 0,
    setTimer,
    hello: () => ({
      protocolVersion: 1,
      runnerUuid: "11111111-1111-4111-8111-111111111111",
      processUuid: "22222222-2222-4222-8222-222222222222",
      agentVersion: "1.2.3",
      hostname: "host",
      capabilities: ["http"],
      capacityPerSecond: 10,
      locationIds: ["loc_a"],
    }),
    load: () => ({
      activeRuns: 1,
      assignedChecks: 2,
      backlogResults: 3,
      spoolBytes: 4,
      droppedResults: 5,
      latenessP99Ms: 6,
      loopBusyBasisPoints: 7,
      accepting: true,
      draining: false,
    }),
    takeGiveBacks: (max) => giveBacks.splice(0, max),
    onServerTime: (_sent, serverMs) => told.serverTimes.push(serverMs),
    onWelcome: () => {
      told.welcomes++;
    },
    onSnapshot: (snapshot) => told.snapshots.push(snapshot),
    onDelta: (delta) => told.deltas.push(delta),
    onDispatch: (order) => told.orders.push(order),
    onRejected: ({ reason }) => told.rejected.push(reason),
    onEnd: (end, isFirst) => told.ends.push({ ...end, isFirst }),
    ...changes,
  });
  cleanups.push(() => session.close());
  let nextSequence = 1;
  const append = (count: number) => {
    for (let i = 0; i < count; i++) {
      results.set(nextSequence, aRecord({ slotMs: nextSequence }));
      nextSequence++;
    }
    session.resultsAvailable(count);
  };
  return { session, told, results, giveBacks, append };
}

/** A TCP proxy on loopback that can swallow all bytes without closing anything. */
async function aProxy(targetPort: number) {
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  const server = createServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => to.destroy());
      from.on("data", (bytes) => {
        if (!isSwallowing) to.write(bytes);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    swallow: () => {
      isSwallowing = true;
    },
    restore: () => {
      isSwallowing = false;
    },
  };
}

/** Slots of all batches that a stream has received, in order. */
function slotsOf(stream: AgentStream): number[] {
  return stream.messages("resultBatch").flatMap(({ slotsMs }) => slotsMs.map(Number));
}

function acknowledging(stream: AgentStream, request: SessionRequest): void {
  answerPolitely(stream, request);
  const { message } = request;
  if (message.case === "resultBatch") stream.send({ case: "ack", value: { seq: message.value.seq } });
}

describe("a session", () => {
  it("says hello with its key, is welcomed, and sends heartbeats that measure the clock", async () => {
    const plane = await aControlPlane();
    const { session, told } = aSession(plane.url);
    session.start();
    await until(() => told.serverTimes.length >= 2, "a heartbeat's answer");
    expect(plane.stream.authorization).toBe(`Bearer ${KEY}`);
    expect(plane.stream.messages("hello")).toMatchObject([
      { protocolVersion: 1, agentVersion: "1.2.3", capabilities: ["http"], locationIds: ["loc_a"] },
    ]);
    expect(plane.stream.messages("heartbeat")[0]).toMatchObject({
      activeRuns: 1,
      assignedChecks: 2,
      backlogResults: 3n,
      spoolBytes: 4n,
      droppedResults: 5n,
      latenessP99Ms: 6,
      loopBusyBasisPoints: 7,
      accepting: true,
    });
    expect(session.isConnected).toBe(true);
  });

  it("applies a snapshot when its last part is there, and changes after it", async () => {
    const plane = await aControlPlane();
    const { session, told } = aSession(plane.url);
    session.start();
    await until(() => told.welcomes === 1, "the welcome");
    const assignment = { checkKey: 5n, locationKey: 1, staggerMs: 3, effectiveFromMs: 4n, doneSlotsMs: [9n] };
    plane.stream.send({ case: "snapshot", value: { checks: [PROTO_CHECK] } });
    plane.stream.send({ case: "delta", value: { unassignments: [{ checkKey: 5n, locationKey: 1 }] } });
    plane.stream.send({ case: "snapshot", value: { assignments: [assignment], last: true } });
    await until(() => told.deltas.length === 1, "the delta");
    expect(told.snapshots).toEqual([
      {
        checks: [
          expect.objectContaining({ checkKey: 5, checkId: "chk_5", frequencySeconds: 60, revision: 2 }),
        ],
        assignments: [{ checkKey: 5, locationKey: 1, staggerMs: 3, effectiveFromMs: 4, doneSlotsMs: [9] }],
      },
    ]);
    expect(told.deltas[0]?.unassignments).toEqual([{ checkKey: 5, locationKey: 1 }]);
  });

  it("passes dispatches on, and leaves out those that can't be run", async () => {
    const plane = await aControlPlane();
    const { session, told } = aSession(plane.url);
    session.start();
    await until(() => told.welcomes === 1, "the welcome");
    plane.stream.send({ case: "runNow", value: { locationKey: 1, slotMs: 1n } });
    const broken = { ...PROTO_CHECK, frequencySeconds: 0 };
    plane.stream.send({ case: "runNow", value: { check: broken, locationKey: 1, slotMs: 2n } });
    plane.stream.send({ case: "runNow", value: { check: PROTO_CHECK, locationKey: 1, slotMs: 3n } });
    await until(() => told.orders.length > 0, "an order");
    expect(told.orders.map(({ slotMs }) => slotMs)).toEqual([3]);
  });

  it("goes over TLS when the certificate is signed by a trusted authority, and else says what is wrong", async () => {
    const plane = await aControlPlane({ isSecure: true });
    const trusting = aSession(plane.url, { ca: TEST_CERTIFICATE });
    trusting.session.start();
    await until(() => trusting.told.welcomes === 1, "the welcome");
    const other = aSession(plane.url);
    other.session.start();
    await until(() => other.told.ends.length >= 1, "the refusal");
    expect(other.told.ends[0]?.line).toMatch(/^no session with [^\n]*self-signed certificate[^\n]*$/);
    const plain = aSession(plane.url.replace("https", "http"));
    plain.session.start();
    await until(() => plain.told.ends.length >= 1, "the mismatch");
    expect(plain.told.ends[0]?.line).toMatch(/with the right scheme\?\)$/);
  });

  it("gives slots back, also those from before the welcome", async () => {
    const plane = await aControlPlane();
    const { session, told, giveBacks } = aSession(plane.url);
    giveBacks.push({ checkKey: 1, locationKey: 2, slotMs: 3, reason: "network" });
    session.start();
    await until(() => told.welcomes === 1, "the welcome");
    giveBacks.push({ checkKey: 4, locationKey: 5, slotMs: 6, reason: "unsupported" });
    session.giveBacksAvailable();
    await until(() => plane.stream.messages("giveBack").length === 2, "both");
    expect(plane.stream.messages("giveBack").flatMap(({ slots }) => slots)).toMatchObject([
      { checkKey: 1n, locationKey: 2, slotMs: 3n, reason: 4 },
      { checkKey: 4n, locationKey: 5, slotMs: 6n, reason: 6 },
    ]);
  });
});

describe("results", () => {
  it("are sent together and deleted when acknowledged", async () => {
    const plane = await aControlPlane({ onMessage: acknowledging });
    const { session, results, append } = aSession(plane.url);
    session.start();
    append(3);
    append(2);
    await until(() => results.size === 0, "all acknowledged");
    expect(slotsOf(plane.stream)).toEqual([1, 2, 3, 4, 5]);
  });

  it("of a long outage are all delivered, in order, a window at a time", async () => {
    const plane = await aControlPlane({ onMessage: acknowledging });
    const { session, results, append } = aSession(plane.url);
    append(10_000);
    session.start();
    await until(() => results.size === 0, "all acknowledged");
    expect(slotsOf(plane.stream)).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1));
  });

  it("not acknowledged when the connection breaks are sent again under the same number", async () => {
    const plane = await aControlPlane();
    const { session, results, append } = aSession(plane.url);
    session.start();
    append(4);
    await until(() => plane.streams[0]?.messages("resultBatch").length === 1, "the batch");
    plane.cut();
    await until(() => plane.streams[1]?.messages("resultBatch").length === 1, "the batch again");
    const [first, again] = plane.streams.map((stream) => stream.messages("resultBatch")[0]);
    expect(again).toEqual(first);
    expect(results.size).toBe(4);
    plane.stream.send({ case: "ack", value: { seq: again?.seq as bigint } });
    await until(() => results.size === 0, "the acknowledgement");
  });

  it("that the control plane refuses for good are reported and deleted", async () => {
    const plane = await aControlPlane();
    const { session, told, results, append } = aSession(plane.url);
    session.start();
    append(2);
    await until(() => plane.streams[0]?.messages("resultBatch").length === 1, "the batch");
    plane.stream.send({
      case: "ack",
      value: { seq: 1n, rejections: [{ index: 1, reason: "unknown check" }] },
    });
    await until(() => results.size === 0, "the acknowledgement");
    expect(told.rejected).toEqual(["unknown check"]);
  });
});

describe("when the session ends", () => {
  it("by a broken connection, it is begun again at once", async () => {
    const plane = await aControlPlane();
    const { session, told } = aSession(plane.url);
    session.start();
    for (let round = 1; round <= 3; round++) {
      await until(() => told.welcomes === round, `welcome ${round}`);
      plane.cut();
    }
    await until(() => told.welcomes === 4, "the fourth welcome");
    expect(told.ends.every(({ kind }) => kind === "lost")).toBe(true);
  });

  it("by a restart of the control plane, it goes on when that is back", async () => {
    const plane = await FakeControlPlane.start();
    const { session, told } = aSession(plane.url);
    session.start();
    await until(() => told.welcomes === 1, "the welcome");
    const { port } = plane;
    await plane.stop();
    await until(() => told.ends.length >= 3, "a few vain attempts");
    expect(told.ends.at(-1)?.line).toMatch(/no session with the control plane at http:.*ECONNREFUSED/);
    await aControlPlane({ port });
    await until(() => told.welcomes === 2, "the second welcome");
  });

  it("by Drain, what is on its way is waited for, and nothing is sent twice", async () => {
    const plane = await aControlPlane();
    const { session, told, results, append } = aSession(plane.url);
    session.start();
    append(2);
    await until(() => plane.streams[0]?.messages("resultBatch").length === 1, "the batch");
    plane.stream.send({ case: "drain", value: { reason: "restart" } });
    plane.stream.send({ case: "ack", value: { seq: 1n } });
    await until(() => told.welcomes === 2, "the next session");
    expect(told.ends).toMatchObject([{ kind: "drained" }]);
    expect(results.size).toBe(0);
    expect(slotsOf(plane.stream)).toEqual([]);
  });

  it("by Drain without acknowledgements, it moves all the same and sends again", async () => {
    const plane = await aControlPlane();
    const { session, told, append } = aSession(plane.url);
    session.start();
    append(2);
    await until(() => plane.streams[0]?.messages("resultBatch").length === 1, "the batch");
    plane.stream.send({ case: "drain", value: {} });
    await until(() => plane.streams[1]?.messages("resultBatch").length === 1, "the batch again");
    expect(told.ends).toMatchObject([{ kind: "drained" }]);
  });

  it("by a refused key, says so and whether it ever worked", async () => {
    let isRevoked = true;
    const plane = await aControlPlane({
      onOpen: () => {
        if (isRevoked) throw new ConnectError("unknown runner key", Code.Unauthenticated);
      },
    });
    const refused = aSession(plane.url);
    refused.session.start();
    await until(() => refused.told.ends.length === 1, "the refusal");
    expect(refused.told.ends).toMatchObject([{ kind: "key_refused", isFirst: true }]);
    expect(refused.told.ends[0]?.line).not.toContain(KEY);

    isRevoked = false;
    const accepted = aSession(plane.url);
    accepted.session.start();
    await until(() => accepted.told.welcomes === 1, "the welcome");
    isRevoked = true;
    plane.cut();
    await until(() => accepted.told.ends.some(({ kind }) => kind === "key_refused"), "the refusal");
    expect(accepted.told.ends.at(-1)).toMatchObject({ kind: "key_refused", isFirst: false });
  });

  it("by another protocol version, says so", async () => {
    const plane = await aControlPlane({
      onOpen: () => {
        throw new ConnectError("speaks versions 2 to 3", Code.FailedPrecondition);
      },
    });
    const { session, told } = aSession(plane.url);
    session.start();
    await until(() => told.ends.length === 1, "the refusal");
    expect(told.ends[0]).toMatchObject({ kind: "version_refused" });
    expect(told.ends[0]?.line).toMatch(/protocol version: speaks versions 2 to 3$/);
  });

  it.each<[string, (stream: AgentStream, request: SessionRequest) => void]>([
    ["that begins with something else than a Welcome", (stream) => stream.send({ case: "drain", value: {} })],
    ["that ends before the Welcome", (stream) => stream.end()],
    [
      "that welcomes twice",
      (stream, request) => {
        answerPolitely(stream, request);
        answerPolitely(stream, request);
      },
    ],
  ])("a stream %s is given up, and another one tried", async (_name, onMessage) => {
    let isFirst = true;
    const plane = await aControlPlane({
      onMessage: (stream, request) => {
        if (isFirst) onMessage(stream, request);
        else answerPolitely(stream, request);
        isFirst &&= stream.messages("hello").length === 0;
      },
    });
    const { session, told } = aSession(plane.url);
    session.start();
    await until(() => told.ends.length >= 1 && session.isConnected, "the second session");
    expect(told.ends[0]?.kind).toBe("lost");
  });

  it("a network that swallows everything is noticed while the stream is open, and while connecting", async () => {
    const plane = await aControlPlane();
    const proxy = await aProxy(plane.port);
    const { session, told } = aSession(proxy.url);
    session.start();
    await until(() => told.welcomes === 1, "the welcome");
    proxy.swallow();
    const swallowedAt = performance.now();
    await until(() => told.ends.length >= 1, "the loss of the stream", 30_000);
    expect(told.ends[0]).toMatchObject({ kind: "lost" });
    expect(told.ends[0]?.line).toMatch(/answers no more/);
    // 2 s to the next ping and 3 s for its answer; the rest is for a slow machine.
    expect(performance.now() - swallowedAt).toBeLessThan(15_000);
    await until(() => told.ends.length >= 2, "a vain attempt", 30_000);
    proxy.restore();
    await until(() => told.welcomes === 2, "the next session", 30_000);
  }, 90_000);

  it.each([
    ["answers in HTTP/1", "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n"],
    ["closes without an answer", ""],
    ["answers nonsense", "\0\0\0\0\0\0 nonsense nonsense nonsense"],
  ])("a server that %s is told from one that is away", async (_name, answer) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const { session, told } = aSession(`http://127.0.0.1:${port}`);
    session.start();
    await until(() => told.ends.length >= 2, "two attempts");
    expect(told.ends[0]).toMatchObject({ kind: "lost", isFirst: true });
    expect(told.ends[0]?.line).toMatch(/^no session with [^\n]* \(is this the address of the RunnerService/);
  });
});

describe("closing", () => {
  it("says goodbye and connects no more", async () => {
    const plane = await aControlPlane();
    const { session, told } = aSession(plane.url);
    session.start();
    await until(() => told.welcomes === 1, "the welcome");
    await session.close();
    await until(() => plane.stream.messages("goodbye").length === 1, "the goodbye");
    expect(plane.streams).toHaveLength(1);
    expect(told.ends).toEqual([]);
  });

  it("ends at once while the control plane is away", async () => {
    const plane = await FakeControlPlane.start();
    const { url } = plane;
    await plane.stop();
    const { session, told } = aSession(url);
    session.start();
    await until(() => told.ends.length >= 2, "vain attempts");
    await session.close();
    const attempts = told.ends.length;
    await session.close();
    expect(told.ends).toHaveLength(attempts);
  });
});

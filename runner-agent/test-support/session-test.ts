/** Sessions of an agent with a fake control plane. Everything that is started here ends with its test. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { SessionRequest } from "@svc/proto/svc/runner/v1/runner_pb";
import { onTestFinished } from "vitest";
import { setTimer } from "../src/base/timer.ts";
import type { AssignmentDelta, AssignmentSnapshot, Dispatch } from "../src/model/assignment.ts";
import { GiveBackQueue } from "../src/session/give-back-queue.ts";
import { openRunnerConnection } from "../src/session/runner-connection.ts";
import { Session } from "../src/session/session.ts";
import type { SessionParts } from "../src/session/session-parts.ts";
import type { StreamEnd } from "../src/session/stream-end.ts";
import { aRecord } from "./builders.ts";
import { type AgentStream, answerPolitely, FakeControlPlane } from "./fake-control-plane.ts";

export const KEY = `rk_${"a".repeat(64)}`;

/** A check as the control plane sends it. */
export const PROTO_CHECK = {
  checkKey: 5n,
  checkId: "chk_5",
  type: "http",
  frequencySeconds: 60,
  phaseMs: 10,
  revision: 2n,
};

/** Starts a control plane that the agent can connect to. */
export async function aControlPlane(options: Parameters<typeof FakeControlPlane.start>[0] = {}) {
  const plane = await FakeControlPlane.start(options);
  onTestFinished(() => plane.stop());
  return plane;
}

/** Creates a session with a queue in memory, and a record of its events. */
export function aSession(url: string, changes: Partial<SessionParts> = {}, ca?: string) {
  const results = new Map<number, ReturnType<typeof aRecord>>();
  const giveBacks = new GiveBackQueue(() => performance.now());
  const observed = {
    welcomes: 0,
    snapshots: [] as AssignmentSnapshot[],
    deltas: [] as AssignmentDelta[],
    dispatches: [] as Dispatch[],
    testRuns: [] as string[],
    ends: [] as (StreamEnd & { isFirst: boolean })[],
    serverTimes: [] as number[],
    rejected: [] as string[],
  };
  const session = new Session({
    url,
    connect: () => openRunnerConnection({ url, runnerKey: KEY, ca, setTimer }),
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
      secretsPublicKey: new Uint8Array(32),
      runsTests: true,
      limitsTestRuns: true,
      freshRuns: 100,
      browserPages: 0,
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
    dueTestRunReports: () => [],
    nextGiveBack: (max) => giveBacks.nextMessage(max),
    onGiveBackAck: (seq) => giveBacks.acknowledge(seq),
    onServerTime: (_sent, serverMs) => observed.serverTimes.push(serverMs),
    onWelcome: (welcome) => {
      giveBacks.sessionBegan({ isAcknowledged: welcome.acksGiveBacks });
      observed.welcomes++;
    },
    onSnapshot: (snapshot) => observed.snapshots.push(snapshot),
    onDelta: (delta) => observed.deltas.push(delta),
    onDispatch: (dispatch) => observed.dispatches.push(dispatch),
    onTestRunReportAck: () => {},
    onTestRun: ({ testRunId }) => observed.testRuns.push(testRunId),
    onRejected: ({ reason }) => observed.rejected.push(reason),
    onEnd: (end, isFirst) => {
      giveBacks.connectionLost();
      observed.ends.push({ ...end, isFirst });
    },
    ...changes,
  });
  onTestFinished(() => session.close());
  let nextSequence = 1;
  const append = (count: number) => {
    for (let i = 0; i < count; i++) {
      results.set(nextSequence, aRecord({ slotMs: nextSequence }));
      nextSequence++;
    }
    session.resultsAvailable(count);
  };
  return { session, observed, results, giveBacks, append };
}

/** Starts a TCP proxy on loopback that can swallow all bytes without closing anything. */
export async function aProxy(targetPort: number) {
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
  onTestFinished(() => {
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
export function slotsOf(stream: AgentStream): number[] {
  return stream.messages("resultBatch").flatMap(({ slotsMs }) => slotsMs.map(Number));
}

/** Answers as a control plane does, and acknowledges each batch at once. */
export function acknowledging(stream: AgentStream, request: SessionRequest): void {
  answerPolitely(stream, request);
  const { message } = request;
  if (message.case === "resultBatch") stream.send({ case: "ack", value: { seq: message.value.seq } });
}

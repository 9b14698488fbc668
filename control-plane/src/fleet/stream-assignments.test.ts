import { create } from "@bufbuild/protobuf";
import type { CheckId, LocationId, RunnerId, TeamId } from "@svc/contract";
import { CheckSchema, type SessionResponse } from "@svc/proto/svc/runner/v1/runner_pb";
import { expect, test, vi } from "vitest";
import { PushQueue } from "../gateway/push-queue.ts";
import { FleetState } from "./fleet-state.ts";
import { StreamAssignments } from "./stream-assignments.ts";
import { arrangeTouched } from "./touched.ts";

const TEAM = "team_a" as TeamId;
const LOCATION = "loc_1" as LocationId;
const RUNNER_KEY = 7;

/** The stream of a runner that owns a check of each size. */
function aStream(configBytes: readonly number[]) {
  const state = new FleetState();
  state.setLocations([{ key: 1, id: LOCATION, name: "here", teamId: TEAM, status: "active" }]);
  const loaded: number[][] = [];
  const queue = new PushQueue<SessionResponse["message"]>();
  state.applyRunners([
    {
      key: RUNNER_KEY,
      id: "rnr_1" as RunnerId,
      sessionId: "session",
      replicaId: "replica",
      locationKeys: [1],
      capabilities: ["http"],
      capacityPerSecond: 100,
      draining: false,
      connectedAtMs: 0,
      leaseUntilMs: 0,
      isAlive: true,
      notAcceptingSinceMs: null,
    },
  ]);
  const addChecks = () =>
    state.applyChecks(
      configBytes.map((_, index) => ({
        key: index + 1,
        id: `chk_${index + 1}` as CheckId,
        teamId: TEAM,
        type: "http",
        frequencySeconds: 60,
        locationIds: [LOCATION],
        enabled: true,
        revision: 1,
        usesVault: false,
        revisions: [{ frequencySeconds: 60, locationKeys: [1], effectiveFromMs: 0 }],
      })),
    );
  const stream = new StreamAssignments({
    runnerKey: RUNNER_KEY,
    state,
    handoverMs: 100,
    loadBytes: async (keys) => new Map(keys.map((key) => [key, configBytes[key - 1] as number])),
    loadChecks: async (keys) => {
      loaded.push([...keys]);
      return new Map(
        keys.map((key) => [
          key,
          create(CheckSchema, {
            checkKey: BigInt(key),
            configJson: "x".repeat(configBytes[key - 1] as number),
          }),
        ]),
      );
    },
    loadDoneSlots: async () => new Map(),
    send: (message) => queue.push(message),
    untilRead: () => queue.untilRead(),
  });
  return { state, stream, queue, loaded, addChecks };
}

/** Reads the snapshot to its end. @returns the check keys of each part, and the largest part's bytes of configuration */
async function readSnapshot(queue: PushQueue<SessionResponse["message"]>) {
  const parts: number[][] = [];
  let largestBytes = 0;
  for await (const message of queue) {
    if (message.case !== "snapshot" || message.value.last) break;
    const { checks } = message.value;
    parts.push(checks.map(({ checkKey }) => Number(checkKey)));
    largestBytes = Math.max(
      largestBytes,
      checks.reduce((sum, { configJson }) => sum + configJson.length, 0),
    );
  }
  return { keys: parts.flat(), parts: parts.length, largestBytes };
}

const MIB = 1024 * 1024;

test("500 checks of the largest configuration come in parts of a mebibyte", async () => {
  const { stream, queue, addChecks } = aStream(new Array(500).fill(256 * 1024));
  addChecks();
  void stream.start();
  const { keys, parts, largestBytes } = await readSnapshot(queue);
  expect(keys).toHaveLength(500);
  expect(new Set(keys).size).toBe(500);
  expect(largestBytes).toBeLessThanOrEqual(MIB);
  expect(parts).toBe(125);
});

test("small checks come 500 at a time, and one that is larger than a part comes alone", async () => {
  const { stream, queue, addChecks } = aStream([
    ...new Array(1_000).fill(300),
    3 * MIB,
    ...new Array(10).fill(300),
  ]);
  addChecks();
  void stream.start();
  const { keys, parts } = await readSnapshot(queue);
  expect(keys).toHaveLength(1_011);
  expect(parts).toBeLessThanOrEqual(4);
});

test("no part is made before the stream has taken the one before", async () => {
  const { stream, loaded, addChecks } = aStream(new Array(100).fill(256 * 1024));
  addChecks();
  void stream.start();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(loaded).toHaveLength(1);
  stream.close();
});

test("a check that another runner owns is not sent, and one that the agent holds is withdrawn once it is deleted", async () => {
  const { state, stream, queue, addChecks } = aStream([300, 300]);
  addChecks();
  void stream.start();
  await readSnapshot(queue);
  stream.touch(new Map([[1, { checkKeys: [2], ownerKeys: [RUNNER_KEY + 1] }]]));
  stream.touch(new Map([[2, { checkKeys: [9], ownerKeys: [RUNNER_KEY + 1] }]]));
  stream.touch(arrangeTouched(state, state.removeChecks([1])));
  for await (const message of queue) {
    expect(message.case).toBe("delta");
    if (message.case !== "delta") break;
    expect(message.value.assignments.map(({ checkKey }) => Number(checkKey))).not.toContain(9);
    expect(message.value.unassignments.map(({ checkKey }) => Number(checkKey))).toEqual([1]);
    break;
  }
  expect(stream.size).toBe(1);
  stream.close();
});

test("checks that change at once come in deltas of a mebibyte", async () => {
  const { state, stream, queue, addChecks } = aStream(new Array(40).fill(256 * 1024));
  void stream.start();
  await readSnapshot(queue);
  stream.touch(arrangeTouched(state, addChecks()));
  const seen = new Set<number>();
  const reading = (async () => {
    for await (const message of queue) {
      if (message.case !== "delta") continue;
      const bytes = message.value.checks.reduce((sum, { configJson }) => sum + configJson.length, 0);
      expect(bytes).toBeLessThanOrEqual(MIB);
      for (const { checkKey } of message.value.checks) seen.add(Number(checkKey));
    }
  })();
  await vi.waitFor(() => expect(seen.size).toBe(40), { timeout: 60_000 });
  queue.end();
  await reading;
});

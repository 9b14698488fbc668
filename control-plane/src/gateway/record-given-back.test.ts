import { create } from "@bufbuild/protobuf";
import { type CheckId, type LocationId, phaseMs, type TeamId } from "@svc/contract";
import { FaultReason, GivenBackSlotSchema } from "@svc/proto/svc/runner/v1/runner_pb";
import { expect, test } from "vitest";
import { FleetState } from "../fleet/fleet-state.ts";
import type { GivenBackStore } from "./given-back-store.ts";
import { recordGivenBack } from "./record-given-back.ts";

const TEAM = "team_a" as TeamId;
const CHECK = "chk_1" as CheckId;

/** The state of a fleet with one check, and a slot of it that a runner gave back. */
function aSlotGivenBack() {
  const state = new FleetState();
  const locationId = "loc_1" as LocationId;
  state.setLocations([{ key: 1, id: locationId, name: "here", teamId: TEAM, status: "active" }]);
  state.applyChecks([
    {
      key: 1,
      id: CHECK,
      teamId: TEAM,
      type: "http",
      frequencySeconds: 60,
      locationIds: [locationId],
      enabled: true,
      revision: 1,
      usesVault: false,
      revisions: [{ frequencySeconds: 60, locationKeys: [1], effectiveFromMs: 0 }],
    },
  ]);
  const slot = { checkKey: 1n, locationKey: 1, slotMs: BigInt(phaseMs(CHECK, 60)) };
  return { state, slots: [create(GivenBackSlotSchema, { ...slot, reason: FaultReason.NETWORK })] };
}

/** A store whose first writes fail with these errors, and the waits between them. */
function aStore(errors: Error[]) {
  const written: unknown[] = [];
  const waitsMs: number[] = [];
  const store: GivenBackStore = {
    findManualRuns: async () => new Set(),
    insertOverrun: async () => undefined,
    insertGivenBack: async (runnerKey, slots) => {
      const error = errors.shift();
      if (error) throw error;
      written.push({ runnerKey, slots });
    },
  };
  const timing = {
    monotonicMs: () => 0,
    setTimer: (callback: () => void, delayMs: number) => {
      waitsMs.push(delayMs);
      queueMicrotask(callback);
      return () => {};
    },
  };
  return { store, timing, written, waitsMs };
}

const away = () => Object.assign(new Error("away"), { code: "ECONNREFUSED" });

test("slots given back while the database is away are recorded once it is back", async () => {
  const { state, slots } = aSlotGivenBack();
  const { store, timing, written, waitsMs } = aStore([away(), away()]);
  await recordGivenBack(store, state, { runnerKey: 7, slots, timing });
  expect(written).toMatchObject([{ runnerKey: 7, slots: [{ checkKey: 1, reason: "runner_network" }] }]);
  expect(waitsMs).toEqual([100, 200]);
});

test("another error is the caller's at once", async () => {
  const { state, slots } = aSlotGivenBack();
  const { store, timing, waitsMs } = aStore([new Error("a mistake of ours")]);
  await expect(recordGivenBack(store, state, { runnerKey: 7, slots, timing })).rejects.toThrow("of ours");
  expect(waitsMs).toEqual([]);
});

import { newId } from "@svc/contract";
import { expect, test } from "vitest";
import { ReadShares } from "./read-shares.ts";

const MIB = 1024 * 1024;
const TEAM_A = newId("team");
const TEAM_B = newId("team");

/** True when the promise has settled after what was under way. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  for (let i = 0; i < 10; i++) await Promise.resolve();
  return settled;
}

test("a team that spent its burst waits, another team and the hosted fleet do not", async () => {
  const shares = new ReadShares(() => 0);
  const spent = shares.of(TEAM_A);
  for (let i = 0; i < 16; i++) (await spent.admit(4 * MIB))();
  expect(await isSettled(spent.admit(4 * MIB))).toBe(false);
  expect(await isSettled(shares.of(TEAM_B).admit(4 * MIB))).toBe(true);
  for (let i = 0; i < 100; i++) expect(await isSettled(shares.of(undefined).admit(4 * MIB))).toBe(true);
});

test("a heartbeat passes a team's long messages", async () => {
  const spent = new ReadShares(() => 0).of(TEAM_A);
  for (let i = 0; i < 17; i++) void spent.admit(4 * MIB);
  expect(await isSettled(spent.admit(100))).toBe(true);
});

test("messages that never come to their end leave memory for no more of the team's, until one ends", async () => {
  const shares = new ReadShares(() => 0);
  const open = [];
  for (let i = 0; i < 8; i++) open.push(await shares.of(TEAM_A).admit(4 * MIB));
  const next = shares.of(TEAM_A).admit(4 * MIB);
  expect(await isSettled(next)).toBe(false);
  expect(await isSettled(shares.of(TEAM_B).admit(4 * MIB))).toBe(true);
  open[0]?.();
  expect(await isSettled(next)).toBe(true);
});

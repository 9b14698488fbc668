import type { RunnerKeyId, TeamId } from "@svc/contract";
import { expect, test } from "vitest";
import { SessionLimits } from "./session-limits.ts";

const team = "team_a" as TeamId;
const key = (name: string, of: TeamId | undefined = team) => ({
  keyId: `rkey_${name}` as RunnerKeyId,
  team: of,
});
const [A, B] = [key("a"), key("b")];

test("a key opens sessions at its pace, whatever became of them; another key has its own", () => {
  let nowMs = 0;
  const limits = new SessionLimits({ perKeyMax: 5, perTeamMax: 100, clockMs: () => nowMs });
  for (let i = 0; i < 10; i++) limits.begin(A)();
  expect(() => limits.begin(A)).toThrow("too often");
  limits.begin(B);
  nowMs = 500;
  limits.begin(A)();
  expect(() => limits.begin(A)).toThrow("too often");
});

test("sessions that are open count, those that ended don't", () => {
  let nowMs = 0;
  const limits = new SessionLimits({ perKeyMax: 1, perTeamMax: 100, clockMs: () => nowMs });
  const end = limits.begin(A);
  limits.begin(A);
  nowMs = 60_000;
  expect(() => limits.begin(A)).toThrow("1 connected runners at most");
  end();
  limits.begin(A);
});

test("a team with many keys opens no more sessions, and none more often; others have their own", () => {
  let nowMs = 0;
  const limits = new SessionLimits({ perKeyMax: 5, perTeamMax: 10, clockMs: () => nowMs });
  const open = Array.from({ length: 10 }, (_, index) => limits.begin(key(`open${index}`)));
  expect(() => limits.begin(A)).toThrow("10 connected private runners at most");
  for (const end of open) end();
  for (let i = 0; i < 10; i++) limits.begin(key(`${i}`))();
  expect(() => limits.begin(A)).toThrow("the team's runners open sessions too often");
  limits.begin(key("c", "team_b" as TeamId));
  for (let i = 0; i < 30; i++) limits.begin({ keyId: `rkey_${i}` as RunnerKeyId, team: undefined });
  nowMs = 100;
  limits.begin(A);
});

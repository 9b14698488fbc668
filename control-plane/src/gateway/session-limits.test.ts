import type { RunnerKeyId } from "@svc/contract";
import { expect, test } from "vitest";
import { SessionLimits } from "./session-limits.ts";

const [A, B] = ["rkey_a" as RunnerKeyId, "rkey_b" as RunnerKeyId];

test("a key opens sessions at its pace, whatever became of them; another key has its own", () => {
  let nowMs = 0;
  const limits = new SessionLimits(5, () => nowMs);
  for (let i = 0; i < 10; i++) limits.begin(A)();
  expect(() => limits.begin(A)).toThrow("too often");
  limits.begin(B);
  nowMs = 500;
  limits.begin(A)();
  expect(() => limits.begin(A)).toThrow("too often");
});

test("sessions that are open count, those that ended don't", () => {
  let nowMs = 0;
  const limits = new SessionLimits(1, () => nowMs);
  const end = limits.begin(A);
  limits.begin(A);
  nowMs = 60_000;
  expect(() => limits.begin(A)).toThrow("1 connected runners at most");
  end();
  limits.begin(A);
});

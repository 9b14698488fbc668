import { expect, test } from "vitest";
import { Backlog, Backlogs, backlogSize } from "./backlog.ts";

test("a team's backlog is full at its limit and wakes those that wait when something left it", async () => {
  const backlog = new Backlog(100);
  backlog.add(100);
  expect(backlog.isFull).toBe(true);
  const waiting = backlog.untilRemoved();
  backlog.remove(1);
  await waiting;
  expect(backlog.isFull).toBe(false);
});

test("sessions of a team share one backlog; another team's and the hosted fleet's are their own", () => {
  const backlogs = new Backlogs();
  backlogs.of("team_a").add(1_000_000);
  expect(backlogs.of("team_a").isFull).toBe(true);
  expect(backlogs.of("team_b").isFull).toBe(false);
  const hosted = backlogs.of(null);
  hosted.add(1_000_000_000);
  expect(hosted.isFull).toBe(false);
});

test("evidence counts by its bytes", () => {
  expect(backlogSize(500, 0)).toBe(500);
  expect(backlogSize(1, 256 * 1024)).toBe(65);
});

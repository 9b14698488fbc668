import { expect, it } from "vitest";
import { failoverLoss, failoverWords, type Replication } from "./failover-loss.ts";

const aReplication = (given: Partial<Replication> = {}): Replication => ({
  synchronousCommit: "on",
  standbyNames: "second",
  standbys: 1,
  synchronousStandbys: 1,
  ...given,
});

it.each([
  ["a synchronous standby", {}, "synchronous"],
  ["one that confirms what it wrote", { synchronousCommit: "remote_write" }, "synchronous"],
  ["one that this account may not see", { synchronousStandbys: null }, "synchronous"],
  ["names, and no standby", { standbys: 0, synchronousStandbys: 0 }, "waiting"],
  ["names, and other standbys only", { synchronousStandbys: 0 }, "waiting"],
  ["a standby that nobody waits for", { standbyNames: "", synchronousStandbys: 0 }, "asynchronous"],
  ["commits that don't wait: local", { synchronousCommit: "local" }, "asynchronous"],
  ["commits that don't wait: off", { synchronousCommit: "off" }, "asynchronous"],
  ["no standby", { standbyNames: "", standbys: 0, synchronousStandbys: 0 }, "alone"],
] as const)("with %s", (_name, given, loss) => {
  expect(failoverLoss(aReplication(given))).toBe(loss);
});

it("the words of a remote_write say what it does not cover", () => {
  const given = aReplication({ synchronousCommit: "remote_write" });
  expect(failoverWords("synchronous", given)).toMatch(/unless the standby's machine fails/);
  expect(failoverWords("synchronous", aReplication())).toMatch(/survive a failover$/);
});

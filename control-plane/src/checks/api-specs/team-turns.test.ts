import type { TeamId } from "@svc/contract";
import { expect, it } from "vitest";
import { TeamTurns } from "./team-turns.ts";

const [teamA, teamB] = ["team_a", "team_b"] as TeamId[] as [TeamId, TeamId];

/** Work that ends when `end` is called. */
function someWork() {
  let end: (outcome: "done" | Error) => void = () => {};
  const ended = new Promise<string>((resolve, reject) => {
    end = (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome));
  });
  return { work: () => ended, end };
}

it("a team has two documents under way at most, whatever became of the former ones; other teams have their own", async () => {
  const turns = new TeamTurns();
  const [first, second, third, other] = [someWork(), someWork(), someWork(), someWork()];
  const running = [turns.run(teamA, first.work), turns.run(teamA, second.work)];
  await expect(turns.run(teamA, third.work)).rejects.toMatchObject({
    code: "rate_limited",
    retryAfterSeconds: 5,
  });
  running.push(turns.run(teamB, other.work));
  first.end(new Error("not a document"));
  await expect(running[0]).rejects.toThrow("not a document");
  running.push(turns.run(teamA, third.work));
  for (const { end } of [second, third, other]) end("done");
  expect(await Promise.all(running.slice(1))).toEqual(["done", "done", "done"]);
  expect(await turns.run(teamA, async () => "again")).toBe("again");
});

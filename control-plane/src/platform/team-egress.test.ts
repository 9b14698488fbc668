import type { TeamId } from "@svc/contract";
import { expect, it } from "vitest";
import { createTeamEgress } from "./team-egress.ts";

it("a team whose names are never answered holds up no other team's lookups", async () => {
  const egressOf = createTeamEgress({
    allowPrivate: false,
    resolve: async (hostname) => {
      if (hostname.startsWith("dead")) await new Promise(() => {});
      return [{ address: "93.184.215.14", family: 4 }];
    },
  });
  await egressOf("team_b" as TeamId).pin("fine.example");
  for (let i = 0; i < 100; i++) void egressOf("team_a" as TeamId).pin(`dead${i}.example`);
  const pinned = await Promise.all(
    Array.from({ length: 20 }, (_, i) => egressOf("team_b" as TeamId).pin(`fine${i}.example`)),
  );
  expect(pinned).toHaveLength(20);
});

it("the policy holds for each team", async () => {
  const egressOf = createTeamEgress({
    allowPrivate: false,
    resolve: async () => [{ address: "10.0.0.1", family: 4 }],
  });
  await expect(egressOf("team_a" as TeamId).pin("inside.example")).rejects.toThrow("not allowed");
});

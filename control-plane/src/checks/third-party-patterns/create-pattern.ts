import { type CreateThirdPartyPattern, newId, type ThirdPartyPattern } from "@svc/contract";
import { changeRecord } from "../../accounts/change-log/change-record.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { patternFromRow } from "./list-patterns.ts";
import { insertPatternRow } from "./store.ts";

/**
 * Stores a third-party pattern. The requests of runs whose results come from now on are counted by it.
 * @throws DomainError `conflict` when another pattern of the team has the name, `limit_exceeded`
 */
export async function createPattern(
  ctx: TeamContext,
  { name, hostPattern }: CreateThirdPartyPattern,
): Promise<ThirdPartyPattern> {
  const { services, teamId } = ctx;
  return conflictWhenInUse({ noun: "third-party pattern", name }, () =>
    changeRecord(ctx, async (trx) => {
      const id = newId("thirdPartyPattern");
      const createdAt = new Date(services.clock.nowMs()).toISOString();
      const row = await insertPatternRow(trx, { id, teamId, name, hostPattern, createdAt });
      return {
        result: patternFromRow(row),
        changes: [{ action: "created", type: "third_party_pattern", resourceId: id, name }],
      };
    }),
  );
}

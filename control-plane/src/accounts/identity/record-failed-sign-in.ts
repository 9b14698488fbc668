import { createHash } from "node:crypto";
import { HOUR_MS } from "@svc/contract";
import type { Services } from "../../platform/services.ts";
import type { Origin } from "../../platform/team-context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { type Account, listTeamIdsOf } from "./store.ts";

/** Failures of one account that are recorded in an hour: addresses are spread over so many numbers, each recorded once. */
const RECORDED_PER_HOUR = 20;

/**
 * Records a failed attempt to sign in to an account, for each of its teams; one to no account for the operator. What
 * was typed as an email address is not recorded, since it may be a password.
 * @param account undefined: there is none of that email address
 */
export async function recordFailedSignIn(
  services: Pick<Services, "knex" | "clock" | "onAudit">,
  { account, origin }: { account: Account | undefined; origin: Origin },
): Promise<void> {
  const author = { source: "ui", actor: null, origin } as const;
  const hour = Math.floor(services.clock.nowMs() / HOUR_MS);
  const share =
    createHash("sha256")
      .update(origin.address ?? "")
      .digest()
      .readUInt32BE() % RECORDED_PER_HOUR;
  const teamIds = account ? await listTeamIdsOf(services.knex, account.id) : [null];
  for (const teamId of teamIds)
    await recordAudit(
      { services, teamId, author },
      {
        action: "sign_in.failed",
        ...(account && { resourceId: account.id }),
        resourceName: account?.email ?? null,
        onceKey: ["sign_in.failed", teamId, account?.id, hour, share].join(" "),
      },
    );
}

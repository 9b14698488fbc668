import type { ReportSubscription } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { findSubscription } from "./subscription-store.ts";

/** Returns the channels that are sent the team's reports. */
export async function getReportSubscription({ services, teamId }: TeamContext): Promise<ReportSubscription> {
  const row = await findSubscription(services.knex, teamId);
  return { teamId, ...(row ?? { channelIds: [], updatedAt: null }) };
}

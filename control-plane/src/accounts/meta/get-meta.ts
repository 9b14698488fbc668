/** The service's own facts for a team: its version, the limits with what the team uses of them, and what is set up. */
import type { CapUse, ServiceMeta } from "@svc/contract";
import { TEAM_CAPS, type TeamCap, type TeamCapName } from "../../platform/team-caps.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { VERSION } from "../../platform/version.ts";
import { readUsage, type Usage } from "../caps/usage-store.ts";
import { loadPlan } from "../teams/plans.ts";

/** Returns the service's version, the team's limits with what it uses of them, and what the operator has set up. */
export async function getMeta({
  services,
  teamId,
}: Pick<TeamContext, "services" | "teamId">): Promise<ServiceMeta> {
  const { knex, config } = services;
  const [plan, usages] = await Promise.all([loadPlan(knex, teamId), readUsage(knex, teamId)]);
  return {
    version: VERSION,
    runnerPort: services.runnerPort(),
    agentPackage: services.agentPackage?.path ?? null,
    plan,
    caps: (Object.keys(TEAM_CAPS) as TeamCapName[]).map((name) => capUse(name, config.caps[name], usages)),
    retention: {
      resultsDays: config.retentionDays,
      rollupMonths: config.rollupRetentionMonths,
      alertsDays: config.alertRetentionDays,
      incidentsDays: config.incidentRetentionDays,
      historyDays: config.historyRetentionDays,
      auditMonths: config.auditRetentionMonths,
    },
    configured: {
      mail: config.smtpUrl !== undefined,
      analysisModel: config.languageModel !== undefined,
      generation: config.languageModel !== undefined,
      billing: false,
      identityProvider: config.oidcIssuer !== undefined,
    },
  };
}

/** A cap with what the team uses of it; of a cap that the writing verb counts there is no running total. */
function capUse(name: TeamCapName, max: number, usages: readonly Usage[]): CapUse {
  const { kind, unit }: TeamCap = TEAM_CAPS[name];
  const usage = usages.find((one) => one.kind === kind);
  const used = unit === "bytes" ? usage?.byteCount : usage?.recordCount;
  return { name, unit: unit ?? "records", max, used: kind === undefined ? null : Math.max(0, used ?? 0) };
}

/** Examines whether browser checks have agents that run them. */
import { counted, type Finding, found } from "@svc/contract";
import { BROWSER, incapableFindings } from "./examine-agents.ts";
import type { Patient } from "./patient.ts";
import { type ConnectedRunner, type LocationDemand, listConnectedRunners, readDemand } from "./store.ts";

/** Returns whether the browser checks can be run. */
export async function examineBrowser({ knex }: Patient): Promise<Finding[]> {
  if (!knex) return [found.skipped("the database can't be asked")];
  return browserFindings(await readDemand(knex), await listConnectedRunners(knex));
}

/** Judges the agents by the browser checks that are to run. Pure. */
export function browserFindings(
  demand: readonly LocationDemand[],
  runners: readonly ConnectedRunner[],
): Finding[] {
  const able = runners.filter(({ capabilities }) => capabilities.includes(BROWSER));
  const served = new Set(runners.flatMap(({ locationKeys }) => locationKeys));
  // The examination of agents names locations that have none.
  const lacking = incapableFindings(
    demand.filter(({ type, locationKey }) => type === BROWSER && served.has(locationKey)),
    runners,
  );
  if (lacking.length > 0) return lacking;
  const agents = `${able.length} of ${counted(runners.length, "agent")} run browser checks`;
  return [runners.length === 0 ? found.skipped("no agent is connected") : found.ok(agents)];
}

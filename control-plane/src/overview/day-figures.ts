/** The figures of an overview that are counted over a day or longer: dear for large teams, and slow to change. */
import { DAY_MS, type Overview, SECOND_MS, type TeamId } from "@svc/contract";
import type { Services } from "../platform/services.ts";
import { readEndingCertificates, readResponseTimes } from "./figures-store.ts";
import { readSlosAtRisk } from "./slos-at-risk.ts";
import { readRolledUpUntil } from "./team-slots-store.ts";

/** Time before its end from which a certificate is named. */
const CERTIFICATE_MS = 30 * DAY_MS;
/** Checks from which on the figures are kept longer. */
const LARGE_TEAM_CHECKS = 500;

/** The figures; see the fields of the overview. */
export type DayFigures = Pick<Overview, "responseTime" | "slosAtRisk" | "certificates">;

/** Returns the time for which the figures are kept: they are read often, and change little. */
export function keptForMs(checkCount: number): number {
  return checkCount > LARGE_TEAM_CHECKS ? 60 * SECOND_MS : 5 * SECOND_MS;
}

/** Counts the figures of a team. */
export async function readDayFigures({ knex, clock }: Services, teamId: TeamId): Promise<DayFigures> {
  const nowMs = clock.nowMs();
  const rolledUpUntilMs = await readRolledUpUntil(knex);
  const certificates = await readEndingCertificates(knex, teamId, nowMs + CERTIFICATE_MS);
  return {
    responseTime: (await readResponseTimes(knex, teamId, { nowMs, rolledUpUntilMs })) ?? null,
    slosAtRisk: await readSlosAtRisk(knex, teamId, nowMs),
    certificates: {
      count: certificates.count,
      next: certificates.next && {
        checkId: certificates.next.checkId,
        host: certificates.next.host,
        validTo: new Date(certificates.next.validToMs).toISOString(),
      },
    },
  };
}

/** The figures of an overview that are counted over a day or longer: dear for large teams, and slow to change. */
import { DAY_MS, type Overview, SECOND_MS, type TeamId } from "@svc/contract";
import type { Services } from "../platform/services.ts";
import { readEndingCertificates, readLocationsByKey, readResponseTimes } from "./figures-store.ts";
import { readSlosAtRisk } from "./slos-at-risk.ts";
import { countTeamSlots, type TeamSlots } from "./team-slots.ts";
import { readRolledUpUntil } from "./team-slots-store.ts";

/** Time before its end from which a certificate is named. */
const CERTIFICATE_MS = 30 * DAY_MS;
/** Checks from which on the figures are kept longer. */
const LARGE_TEAM_CHECKS = 500;
/** Code by which PostgreSQL says that a statement was cancelled because it took too long. */
const QUERY_CANCELED = "57014";

/** The figures; see the fields of the overview. */
export type DayFigures = Pick<Overview, "slots" | "responseTime" | "slosAtRisk" | "certificates">;

/** Returns the time for which the figures are kept: they are read often, and change little. */
export function keptForMs(checkCount: number): number {
  return checkCount > LARGE_TEAM_CHECKS ? 60 * SECOND_MS : 5 * SECOND_MS;
}

/** Counts the figures of a team. */
export async function readDayFigures(services: Services, teamId: TeamId): Promise<DayFigures> {
  const { knex, clock } = services;
  const nowMs = clock.nowMs();
  const slots = await slotsOf(services, teamId);
  const rolledUpUntilMs = await readRolledUpUntil(knex);
  const certificates = await readEndingCertificates(knex, teamId, nowMs + CERTIFICATE_MS);
  return {
    slots,
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

/** Returns the team's slots; null when the database gave up counting them, which must not take the rest of the overview away. */
async function slotsOf(services: Services, teamId: TeamId): Promise<Overview["slots"]> {
  const asOf = new Date(services.clock.nowMs()).toISOString();
  try {
    const counted = await countTeamSlots(services, teamId);
    return { asOf, ...(await named(services, counted)) };
  } catch (error) {
    if ((error as { code?: string }).code !== QUERY_CANCELED) throw error;
    services.log.warn({ err: error, teamId }, "the slots of a team took too long to count");
    return null;
  }
}

async function named(
  { knex }: Services,
  { fromMs, toMs, expected, received, missing }: TeamSlots,
): Promise<Omit<NonNullable<Overview["slots"]>, "asOf">> {
  const reasons = [...missing].map(([reason, byLocation]) => {
    const most = [...byLocation].reduce((a, b) => (b[1] > a[1] ? b : a));
    return {
      reason,
      locationKey: most[0],
      count: [...byLocation.values()].reduce((sum, one) => sum + one, 0),
    };
  });
  const locations = await readLocationsByKey(
    knex,
    reasons.map(({ locationKey }) => locationKey),
  );
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    expected,
    received,
    missing: reasons
      .sort((a, b) => b.count - a.count)
      .map(({ reason, count, locationKey }) => ({
        reason,
        count,
        location: locations.get(locationKey) ?? { id: "", name: "" },
      })),
  };
}

import { type Certificate, type CheckId, certificateSchema, DAY_MS } from "@svc/contract";
import * as z from "zod";
import { getCheckRow } from "../../checks/get-check.ts";
import type { RecordList } from "../../platform/http/record-list.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { type CertificateRow, listCertificateRows, listCertificateRowsOfCheck } from "./list-store.ts";

/** Returns the list of the certificates that the team's checks see, the soonest to end first. */
export function listCertificates({ services, teamId }: TeamContext): RecordList<CertificateRow> {
  const { knex, clock } = services;
  return {
    name: "certificates",
    cursorShape: ["instant", "number", "string"],
    read: (part) => listCertificateRows(knex, teamId, part),
    textOf: (row) => JSON.stringify(z.encode(certificateSchema, certificateFromRow(row, clock.nowMs()))),
    cursorOf: ({ expiresAt, checkKey, host }) => [expiresAt, checkKey, host],
  };
}

/**
 * Returns the certificates that a check sees, the soonest to end first.
 * @throws DomainError `not_found`
 */
export async function listCertificatesOfCheck(
  { services, teamId }: TeamContext,
  { checkId }: { checkId: CheckId },
): Promise<Certificate[]> {
  const { knex, clock } = services;
  const check = await getCheckRow(knex, teamId, checkId);
  const rows = await listCertificateRowsOfCheck(knex, check.key);
  return rows.map((row) => certificateFromRow(row, clock.nowMs()));
}

function certificateFromRow(
  { checkId, checkName, host, sightings }: CertificateRow,
  nowMs: number,
): Certificate {
  const expiresAtMs = Math.min(...sightings.map(({ validTo }) => Date.parse(validTo)));
  return {
    checkId,
    checkName,
    host,
    expiresAt: new Date(expiresAtMs).toISOString(),
    daysLeft: Math.floor((expiresAtMs - nowMs) / DAY_MS),
    sightings: sightings.map(({ changedAtMs, ...sighting }) => ({
      ...sighting,
      changedAt: new Date(changedAtMs).toISOString(),
    })),
  };
}

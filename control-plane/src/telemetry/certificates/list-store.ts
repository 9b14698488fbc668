/** SQL of the lists of certificates: hosts by expiry, each with what the check's locations saw last. */
import type { Certificate, CheckId, TeamId } from "@svc/contract";
import type { Knex } from "knex";
import { perRow } from "../../platform/db/engine-sql.ts";
import { queryRows } from "../../platform/db/rows.ts";
import type { ListPart } from "../../platform/http/record-list.ts";

type Sighting = Certificate["sightings"][number];

/** A host as one check sees it. */
export interface CertificateRow {
  checkKey: number;
  checkId: CheckId;
  checkName: string;
  host: string;
  /** Stored order of the list: the earliest end of what any location ever saw last. */
  expiresAt: string;
  sightings: (Omit<Sighting, "changedAt"> & { changedAtMs: number })[];
}

// A check's present locations count, and of each only its newest sighting: a host that the check asked before is left out.
const certificates = (db: Knex) => `
  SELECT t.check_key, c.id AS check_id, c.name AS check_name, t.host, t.expires_at, s.sightings
  FROM tracked_certificates t JOIN checks c ON c.key = t.check_key
  CROSS JOIN LATERAL (
    SELECT json_agg(json_strip_nulls(json_build_object(
        'locationId', l.id, 'changedAtMs', o.first_slot_ms, 'fingerprintSha256', o.facts -> 'fingerprintSha256',
        'subject', o.facts -> 'subject', 'issuer', o.facts -> 'issuer', 'validFrom', o.facts -> 'validFrom',
        'validTo', o.facts -> 'validTo', 'isTrusted', o.facts -> 'isTrusted', 'trustError', o.facts -> 'trustError',
        'isSelfSigned', o.facts -> 'isSelfSigned', 'protocol', o.facts -> 'protocol')) ORDER BY l.key) AS sightings
    FROM locations l CROSS JOIN LATERAL ${perRow(db, {
      as: "o",
      columns: "facts jsonb, first_slot_ms bigint",
      select: `SELECT facts, first_slot_ms FROM tls_observations
        WHERE check_key = {t.check_key} AND location_key = {l.key} ORDER BY first_slot_ms DESC LIMIT 1`,
    })}
    WHERE l.id = ANY(c.location_ids) AND o.facts ->> 'host' = t.host) s
  WHERE t.expires_at IS NOT NULL AND s.sightings IS NOT NULL`;

/** Returns a part of the list of the team's certificates, the soonest to end first. */
export function listCertificateRows(
  db: Knex,
  teamId: TeamId,
  { after, rowsMax, offset }: ListPart,
): Promise<CertificateRow[]> {
  const [expiresAt, checkKey, host] = after ?? [];
  const isBehind = after
    ? `AND (t.expires_at, t.check_key, t.host)
         > (CAST(:expiresAt AS timestamptz), CAST(:checkKey AS bigint), CAST(:host AS text))`
    : "";
  return queryRows(
    db,
    `${certificates(db)} AND t.team_id = :teamId ${isBehind}
     ORDER BY t.expires_at, t.check_key, t.host LIMIT :rowsMax OFFSET :offset`,
    { teamId, rowsMax, offset, ...(after && { expiresAt, checkKey, host }) },
  );
}

/** Returns the certificates that a check sees, the soonest to end first: no more than it has locations. */
export function listCertificateRowsOfCheck(db: Knex, checkKey: number): Promise<CertificateRow[]> {
  return queryRows(db, `${certificates(db)} AND t.check_key = :checkKey ORDER BY t.expires_at, t.host`, {
    checkKey,
  });
}

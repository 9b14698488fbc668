/**
 * Protection against lost updates: a read names the version of its record in the ETag, and a change with `If-Match` is refused
 * when the record has another one by now (RFC 9110, sections 8.8.3 and 13.1.1).
 */
import { DomainError } from "@svc/contract";
import type { TeamContext } from "../team-context.ts";

/** A record that says when it was made and last changed, as Unix ms, a Date or ISO 8601. */
export interface VersionedRecord {
  /** Absent: there always is one, such as a setting of a team. */
  createdAt?: string | Date;
  /** null: never changed. */
  updatedAt: string | Date | null;
}

/** Returns the ETag of a record: another one after each change of it. */
export function etagOf({ createdAt, updatedAt }: VersionedRecord): string {
  return `"${new Date(updatedAt ?? createdAt ?? 0).getTime().toString(36)}"`;
}

/**
 * Refuses a change of a record that was changed since its author read it. Call it once the record's row is locked.
 * @throws DomainError `precondition_failed` when the request's `If-Match` names other versions only
 */
export function assertSameVersion({ ifMatch }: TeamContext, record: VersionedRecord): void {
  if (ifMatch === undefined || ifMatch.trim() === "*") return;
  const wanted = ifMatch.split(",").map((etag) => etag.trim());
  if (wanted.includes(etagOf(record))) return;
  throw new DomainError(
    "precondition_failed",
    "This was changed since you read it; read it again, and send what you want to change with the new ETag",
  );
}

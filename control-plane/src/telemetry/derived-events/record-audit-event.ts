import type { AuditObserver } from "../../platform/audit-observer.ts";
import { auditEvent } from "./audit-event.ts";
import { attributesOfEvent } from "./define-derived-event.ts";
import { recordDerivedEvents } from "./store.ts";

/** Records the telemetry event of an entry of the audit log, in the entry's transaction. */
export const recordAuditEvent: AuditObserver = async (trx, { teamId, atMs, detail: _, ...entry }) => {
  await recordDerivedEvents(trx, [
    {
      teamId,
      name: auditEvent.type,
      severity: entry.action === "sign_in.failed" ? "warning" : "info",
      attributes: attributesOfEvent(auditEvent, entry),
      occurredAtMs: atMs,
    },
  ]);
};

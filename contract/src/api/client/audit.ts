/** Client method of the audit log. */
import type { AuditAction } from "../../events/audit.ts";
import type { auditRoutes } from "../audit.ts";
import type { CallRoute, Page } from "./rest-connection.ts";

/** Filters of the audit log. */
export interface AuditFilter {
  /** Id or name. */
  actor?: string;
  action?: AuditAction;
  /** ISO 8601. */
  from?: string;
  /** ISO 8601; entries of this instant are left out. */
  to?: string;
}

/** Returns the client methods of the audit log. */
export const auditMethods = (call: CallRoute) => ({
  /** Lists who got or used access, newest first. */
  listAuditEntries: (options: Page & AuditFilter = {}) =>
    call<(typeof auditRoutes)["list"]>("GET", "/api/audit", { query: { ...options } }),
});

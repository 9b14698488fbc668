/** /api/billing: a self-hosted service has no payment provider. */
import { DomainError } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";

export function registerBillingRoutes(app: ApiApp): void {
  for (const [action, summary] of [
    ["checkout", "Change the plan"],
    ["portal", "Manage payment"],
  ] as const)
    app.post(`/api/billing/${action}`, { config: { access: "session" }, schema: { summary } }, async () => {
      throw new DomainError("unavailable", "Billing not configured");
    });
}

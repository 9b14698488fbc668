import { billingRoutes, DomainError } from "@svc/contract";
import type { ApiApp } from "../../platform/http/api.ts";
import { serve } from "../../platform/http/serve.ts";

/** Registers the routes of billing, which answer that a self-hosted service has no payment provider. */
export function registerBillingRoutes(app: ApiApp): void {
  for (const route of [billingRoutes.checkout, billingRoutes.portal])
    serve(app, route, async () => {
      throw new DomainError("unavailable", "Billing not configured");
    });
}

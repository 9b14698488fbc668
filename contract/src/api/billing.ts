/** Routes of billing. A self-hosted service has no payment provider, so each of them answers `unavailable`. */
import { defineRoute } from "./route.ts";

const tag = "Billing";

/** Routes of billing, by operation. */
export const billingRoutes = {
  checkout: defineRoute({
    method: "POST",
    path: "/api/billing/checkout",
    access: "owner",
    tag,
    summary: "Change the plan",
  }),
  portal: defineRoute({
    method: "POST",
    path: "/api/billing/portal",
    access: "owner",
    tag,
    summary: "Manage payment",
  }),
};

/** Client methods of alert policies. */
import type { AlertPolicy, AlertPolicyPreview, UpdateAlertPolicy } from "../../resources/alert-policy.ts";
import type { alertPolicyRoutes } from "../alert-policies.ts";
import type { NewAlertPolicy } from "./new-resources.ts";
import { readAll } from "./read-all.ts";
import type { CallRoute } from "./rest-connection.ts";

type Routes = typeof alertPolicyRoutes;

/** Returns the client methods of alert policies. */
export const alertPolicyMethods = (call: CallRoute) => ({
  /** Lists all alert policies, newest first. */
  listAlertPolicies: (): Promise<AlertPolicy[]> =>
    readAll(
      (page) => call<Routes["list"]>("GET", "/api/alert-policies", { query: page }),
      (answer) => answer.policies,
    ),
  async createAlertPolicy(policy: NewAlertPolicy): Promise<AlertPolicy> {
    return (await call<Routes["create"]>("POST", "/api/alert-policies", { body: policy })).policy;
  },
  async updateAlertPolicy(id: string, change: UpdateAlertPolicy): Promise<AlertPolicy> {
    const answer = call<Routes["update"]>("PUT", "/api/alert-policies/:id", { params: { id }, body: change });
    return (await answer).policy;
  },
  /** Tells for which checks a policy would hold. */
  previewAlertPolicy: (policy: Pick<AlertPolicy, "labels" | "conditions">): Promise<AlertPolicyPreview> =>
    call<Routes["preview"]>("POST", "/api/alert-policies/preview", { body: policy }),
  deleteAlertPolicy: (id: string) =>
    call<Routes["delete"]>("DELETE", "/api/alert-policies/:id", { params: { id } }),
});

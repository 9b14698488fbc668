/** Reads everything that a deploy compares, in a bounded number of requests: lists, never one request per monitor. */
import type { Remote } from "@svc/as-code/plan";
import { type ApiClient, ApiError } from "@svc/contract";

/** Fetches every resource of the team that a deploy may change. */
export async function fetchRemote(api: ApiClient): Promise<Remote> {
  const [
    checks,
    labels,
    alerts,
    channels,
    patterns,
    slos,
    policies,
    rotas,
    incidentPolicy,
    statusPages,
    windows,
    locations,
    baselines,
    meta,
  ] = await Promise.all([
    api.listChecks(),
    api.listLabels(),
    api.listAlertRules(),
    api.listChannels(),
    unlessUnknown(() => api.listThirdPartyPatterns(), []),
    unlessUnknown(() => api.listSlos(), []),
    unlessUnknown(() => api.listAlertPolicies(), []),
    unlessUnknown(() => api.listRotas(), []),
    unlessUnknown(() => api.getIncidentPolicy(), null),
    unlessUnknown(() => api.listStatusPages(), []),
    api.listMaintenanceWindows(),
    api.listLocations({ includeDeprecated: true }),
    api.listDeployBaselines(),
    unlessUnknown(() => api.getMeta(), undefined),
  ]);
  return {
    checks,
    labels,
    alerts,
    channels,
    patterns,
    slos,
    policies,
    rotas,
    incidentPolicy,
    statusPages,
    windows,
    locations,
    baselines,
    meta,
  };
}

/** Reads what services of earlier versions don't have, which answer 404: then `otherwise`. */
async function unlessUnknown<Value, Otherwise>(
  read: () => Promise<Value>,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return otherwise;
    throw error;
  }
}

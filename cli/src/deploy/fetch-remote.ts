/** Reads everything that a deploy compares, in a bounded number of requests: lists, never one request per monitor. */
import type { DescribedRecords } from "@svc/as-code";
import {
  type ApiClient,
  ApiError,
  type DeployBaseline,
  type Location,
  type MaintenanceWindow,
  type ServiceMeta,
} from "@svc/contract";

/** The service's resources. */
export interface Remote extends DescribedRecords {
  windows: MaintenanceWindow[];
  locations: Location[];
  baselines: DeployBaseline[];
  /** The limits of the team; undefined when the service is of a version that does not tell them. */
  meta: ServiceMeta | undefined;
}

/** Fetches every resource of the team that a deploy may change. */
export async function fetchRemote(api: ApiClient): Promise<Remote> {
  const [checks, labels, alerts, channels, patterns, slos, policies, windows, locations, baselines, meta] =
    await Promise.all([
      api.listChecks(),
      api.listLabels(),
      api.listAlertRules(),
      api.listChannels(),
      unlessUnknown(() => api.listThirdPartyPatterns(), []),
      unlessUnknown(() => api.listSlos(), []),
      unlessUnknown(() => api.listAlertPolicies(), []),
      api.listMaintenanceWindows(),
      api.listLocations({ includeDeprecated: true }),
      api.listDeployBaselines(),
      unlessUnknown(() => api.getMeta(), undefined),
    ]);
  return { checks, labels, alerts, channels, patterns, slos, policies, windows, locations, baselines, meta };
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

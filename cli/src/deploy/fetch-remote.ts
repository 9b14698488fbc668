/** Reads everything that a deploy compares, in a bounded number of requests: lists, never one request per monitor. */
import {
  type AlertRule,
  type ApiClient,
  ApiError,
  type Channel,
  type Check,
  type DeployBaseline,
  type Location,
  type MaintenanceWindow,
  type Slo,
} from "@svc/contract";

/** An alert rule as lists have it. */
export type RemoteAlert = Omit<AlertRule, "channels">;

/** The service's resources. */
export interface Remote {
  checks: Check[];
  /** Labels by check id. */
  labels: Record<string, string[]>;
  alerts: RemoteAlert[];
  channels: Channel[];
  slos: Slo[];
  windows: MaintenanceWindow[];
  locations: Location[];
  baselines: DeployBaseline[];
}

/** Fetches every resource of the team that a deploy may change. */
export async function fetchRemote(api: ApiClient): Promise<Remote> {
  const [checks, labels, alerts, channels, slos, windows, locations, baselines] = await Promise.all([
    api.listChecks(),
    api.listLabels(),
    api.listAlertRules(),
    api.listChannels(),
    listAllSlos(api),
    api.listMaintenanceWindows(),
    api.listLocations({ includeDeprecated: true }),
    api.listDeployBaselines(),
  ]);
  return { checks, labels, alerts, channels, slos, windows, locations, baselines };
}

async function listAllSlos(api: ApiClient): Promise<Slo[]> {
  try {
    return await api.listSlos();
  } catch (error) {
    // Services of versions before SLOs don't know the route.
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

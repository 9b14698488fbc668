/** What the service has, in a bounded number of requests: lists, never one request per monitor. */
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

export type RemoteAlert = Omit<AlertRule, "channels">;

export interface Remote {
  checks: Check[];
  labels: Record<string, string[]>;
  alerts: RemoteAlert[];
  channels: Channel[];
  slos: Slo[];
  windows: MaintenanceWindow[];
  locations: Location[];
  baselines: DeployBaseline[];
}

/** Largest page of the lists that page. */
const PAGE = 200;

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
    return await listSloPages(api);
  } catch (error) {
    // A service from before there were SLOs has none.
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

async function listSloPages(api: ApiClient): Promise<Slo[]> {
  const all: Slo[] = [];
  for (;;) {
    const { slos } = await api.listSlos({ limit: PAGE, offset: all.length });
    all.push(...slos);
    if (slos.length < PAGE) return all;
  }
}

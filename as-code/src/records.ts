/** Records that a config is written of, as the REST API answers them, credentials included. */
import type {
  AlertPolicy,
  AlertRule,
  Channel,
  Check,
  IncidentPolicy,
  MaintenanceWindow,
  Rota,
  Slo,
  StatusPage,
  ThirdPartyPattern,
} from "@svc/contract";

/** An alert rule as lists have it. */
export type ListedAlertRule = Omit<AlertRule, "channels">;

/** The records that a config describes. */
export interface DescribedRecords {
  checks: Check[];
  /** Labels by check id. */
  labels: Record<string, string[]>;
  alerts: ListedAlertRule[];
  channels: Channel[];
  patterns: ThirdPartyPattern[];
  slos: Slo[];
  policies: AlertPolicy[];
  rotas: Rota[];
  /** null: the team has none, or it is not looked at. */
  incidentPolicy: IncidentPolicy | null;
  statusPages: StatusPage[];
  /** Empty for a pull, which leaves windows out. */
  windows: MaintenanceWindow[];
}

/** A resource that no config can describe; deploys leave it alone. */
export interface Unmanaged {
  kind: "check" | "slo" | "status_page";
  id: string;
  name: string;
  reason: string;
}

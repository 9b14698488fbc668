/** Types of the resources that a config asks for, in the terms of the API: inheritance resolved, defaults filled in. */

import type {
  CheckType,
  Condition,
  CreateMaintenanceWindow,
  CreateRota,
  CreateStatusPage,
  CreateThirdPartyPattern,
  IncidentSettings,
  Retry,
  SliType,
  SubmittedChannel,
} from "@svc/contract";
import type { ConfigFormat } from "../layout.ts";
import type { Position } from "./positions.ts";
import type { Problem } from "./problem.ts";

/** A channel that the config asks for, secrets in clear. */
export interface DesiredChannel {
  name: string;
  config: SubmittedChannel;
  /** Undefined for a type that gets no incident events as data. */
  incident: IncidentSettings | undefined;
}

/** An alert rule that the config asks for. */
export interface DesiredAlert {
  name: string | null;
  enabled: boolean;
  conditions: Condition[];
  /** Names of channels, without the @. */
  channels: string[];
  confirm: boolean;
  recovery: { consecutiveSuccesses: number };
}

/** An alert policy that the config asks for. */
export interface DesiredPolicy extends Omit<DesiredAlert, "name"> {
  name: string;
  /** In alphabetical order. */
  labels: string[];
}

/** A monitor that the config asks for, with its alert rules. */
export interface DesiredMonitor {
  name: string;
  type: CheckType;
  enabled: boolean;
  frequencySeconds: number;
  locations: string[];
  retry: Retry | null;
  /** Names of monitors of the config, and ids of checks beyond it, in alphabetical order. */
  dependsOn: string[];
  /** Configuration as the API stores it. */
  config: Record<string, unknown>;
  /** Labels in alphabetical order; undefined leaves the service's labels unchanged. */
  labels: string[] | undefined;
  alerts: DesiredAlert[];
  /** Name that the monitor was deployed under before. */
  renamedFrom: string | undefined;
  position: Position | undefined;
  /** Path within the config, e.g. `groups[0].monitors[2]`. */
  path: string;
}

/** A third-party pattern that the config asks for; the host pattern in its stored form. */
export type DesiredPattern = Pick<CreateThirdPartyPattern, "name" | "hostPattern">;

/** The subject of an SLO, by its name: a monitor, or a third-party pattern. */
type SloSubject = { monitor: string; pattern?: never } | { pattern: string; monitor?: never };

/** An SLO that the config asks for. `channels` are names. */
export type DesiredSlo = SloSettings & SloSubject;

/** Fields of an SLO beside its subject. */
interface SloSettings {
  name: string;
  targetBasisPoints: number;
  windowDays: 7 | 14 | 30;
  burnRateAlertsEnabled: boolean;
  channels: string[];
  enabled: boolean;
  sliType: SliType;
  perfThresholdMs: number | null;
}

/** A maintenance window that the config asks for. `monitors` are names. */
export interface DesiredWindow
  extends Pick<
    CreateMaintenanceWindow,
    "name" | "mode" | "startsAt" | "endsAt" | "recurring" | "recurrenceRule" | "timezone"
  > {
  monitors: "all" | string[];
}

/** A rota that the config asks for. */
export interface DesiredRota
  extends Pick<CreateRota, "name" | "timezone" | "startsAt" | "handover" | "overrides"> {
  /** `channels` are names, without the @. */
  members: { name: string; channels: string[] }[];
}

/** The incident policy that the config asks for. */
export interface DesiredIncidentPolicy {
  /** `channels` are names, without the @; `rota` is a name. */
  steps: { afterMinutes: number; channels: string[]; rota?: string }[];
}

/** A status page that the config asks for. Each component has the name of a monitor, or labels in alphabetical order. */
export interface DesiredStatusPage
  extends Pick<CreateStatusPage, "slug" | "title" | "description" | "isPublished"> {
  subscriptions: { email: boolean };
  components: { name: string; monitor?: string; labels?: string[] }[];
}

/** Everything that one config asks for. */
export interface Desired {
  project: string;
  /** Former name of the project. */
  renamedFrom: string | undefined;
  format: ConfigFormat;
  folder: string;
  channels: DesiredChannel[];
  monitors: DesiredMonitor[];
  patterns: DesiredPattern[];
  slos: DesiredSlo[];
  policies: DesiredPolicy[];
  rotas: DesiredRota[];
  /** Undefined: the config has none. */
  incidentPolicy: DesiredIncidentPolicy | undefined;
  statusPages: DesiredStatusPage[];
  /** Undefined in the directory layout, which can't describe windows: those of the service stay. */
  windows: DesiredWindow[] | undefined;
  /** Notes on fields that are valid and do nothing. */
  notes: Problem[];
}

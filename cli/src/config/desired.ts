/** What the config asks for, in the terms of the API: inheritance resolved, defaults filled in. */
import type {
  CheckType,
  Condition,
  CreateMaintenanceWindow,
  Retry,
  SliType,
  SubmittedChannel,
} from "@svc/contract";
import type { ConfigFormat } from "./load-config.ts";
import type { Place } from "./positions.ts";

export interface DesiredChannel {
  name: string;
  config: SubmittedChannel;
}

export interface DesiredAlert {
  name: string | null;
  enabled: boolean;
  conditions: Condition[];
  /** Names, without the @. */
  channels: string[];
  confirm: boolean;
  recovery: { consecutiveSuccesses: number };
}

export interface DesiredMonitor {
  name: string;
  type: CheckType;
  enabled: boolean;
  frequencySeconds: number;
  locations: string[];
  retry: Retry | null;
  /** As the API stores it. */
  config: Record<string, unknown>;
  /** Undefined: the labels stay as they are. In alphabetical order. */
  labels: string[] | undefined;
  alerts: DesiredAlert[];
  renamedFrom: string | undefined;
  place: Place | undefined;
  /** Path within the config. */
  path: string;
}

export interface DesiredSlo {
  name: string;
  monitor: string;
  targetBasisPoints: number;
  windowDays: 7 | 14 | 30;
  burnRateAlertsEnabled: boolean;
  channels: string[];
  enabled: boolean;
  sliType: SliType;
  perfThresholdMs: number | null;
}

export interface DesiredWindow
  extends Pick<
    CreateMaintenanceWindow,
    "name" | "mode" | "startsAt" | "endsAt" | "recurring" | "recurrenceRule" | "timezone"
  > {
  monitors: "all" | string[];
}

export interface Desired {
  project: string;
  format: ConfigFormat;
  folder: string;
  channels: DesiredChannel[];
  monitors: DesiredMonitor[];
  slos: DesiredSlo[];
  /** Undefined in the directory layout, which can't say: those that exist stay. */
  windows: DesiredWindow[] | undefined;
}

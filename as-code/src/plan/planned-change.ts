/** Planned changes: the steps of a deploy's plan, one per resource (two for a resource that is replaced). */
import type { CheckType, DeployedKind, IncidentPolicy, Rota } from "@svc/contract";
import type {
  Desired,
  DesiredAlert,
  DesiredChannel,
  DesiredIncidentPolicy,
  DesiredMonitor,
  DesiredPattern,
  DesiredPolicy,
  DesiredRota,
  DesiredSlo,
  DesiredStatusPage,
  DesiredWindow,
} from "../config/desired.ts";
import type { DeployState } from "./deploy-state.ts";
import type { FieldChange } from "./field-changes.ts";
import type { Remote } from "./remote.ts";
import type { Secrets } from "./secrets.ts";

/** drift: the service's side changed since the last deploy; conflict: the config's side did, too. */
export type Drift = "drift" | "conflict";

interface Step {
  /** Name of the resource in the config; of a rule its monitor's name and its own. */
  name: string;
  fieldChanges: FieldChange[];
  drift?: Drift;
  /** True when the drift is that of a resource that was never deployed from here. */
  isForeign?: true;
}

interface CreateStep extends Step {
  type: "create";
  remoteId: null;
}

/** A step about a resource that the service has. */
export interface RemoteStep extends Step {
  type: "update" | "delete" | "unchanged";
  remoteId: string;
}

type AnyStep = CreateStep | RemoteStep;

/** `desired` is absent in deletions. */
export type ChannelChange = AnyStep & {
  kind: "channel";
  desired?: DesiredChannel;
  /** The channel takes the name of another one that this deploy deletes. */
  replacesAnother?: boolean;
};

/** `desired` is absent in deletions. */
export type CheckChange = AnyStep & {
  kind: "check";
  checkType: CheckType;
  desired?: DesiredMonitor;
  /** True when the check itself has to be sent. */
  sendsCheck: boolean;
  /** True when its labels have to be sent, by a request of their own. */
  sendsLabels: boolean;
  /** True when the monitors that it depends on have to be sent, by a request of their own: they have to be there first. */
  sendsDependencies: boolean;
  /** True when it depends on some that it shall depend on no longer: they have to go first, or circles would close for a moment. */
  dropsDependencies: boolean;
};

/** `desired` is absent in deletions, and where only `channelIds` change. */
export type AlertChange = AnyStep & {
  kind: "alert";
  desired?: DesiredAlert;
  /** Name of the monitor that the rule belongs to. */
  monitor: string;
  /** Present for a rule beyond the config: the channels it notifies now, of which some are replaced. */
  channelIds?: string[];
};

/** `desired` is absent in deletions. A pattern can't be updated: it is created, deleted or both. */
export type PatternChange = AnyStep & { kind: "third_party_pattern"; desired?: DesiredPattern };

/** `desired` is absent in deletions, and where only `channelIds` change. */
export type SloChange = AnyStep & {
  kind: "slo";
  desired?: DesiredSlo;
  /** Present where the SLO goes with its check, which is created again: the check's monitor. */
  monitor?: string;
  /** Present for an SLO beyond the config: the channels it notifies now, of which some are replaced. */
  channelIds?: string[];
};

/** `desired` is absent in deletions. */
export type WindowChange = AnyStep & { kind: "maintenance_window"; desired?: DesiredWindow };

/** `desired` is absent in deletions. The name is the page's slug. */
export type StatusPageChange = AnyStep & { kind: "status_page"; desired?: DesiredStatusPage };

/** `desired` is absent in deletions, and where only `channelIds` change. */
export type PolicyChange = AnyStep & {
  kind: "alert_policy";
  desired?: DesiredPolicy;
  /** Names of the monitors for which the policy holds after the deploy; of a deletion, for which it holds now. */
  monitors: string[];
  /** Present for a policy beyond the config: the channels it notifies now, of which some are replaced. */
  channelIds?: string[];
};

/** `desired` is absent in deletions, and where only `members` change. */
export type RotaChange = AnyStep & {
  kind: "rota";
  desired?: DesiredRota;
  /** Present for a rota beyond the config: its members now, of whose channels some are replaced. */
  members?: Rota["members"];
};

/** `desired` is absent in a deletion, and where only `steps` change. */
export type IncidentPolicyChange = AnyStep & {
  kind: "incident_policy";
  desired?: DesiredIncidentPolicy;
  /** Present for a policy beyond the config: its steps now, of whose channels some are replaced. */
  steps?: IncidentPolicy["steps"];
};

/** A step of a plan, for a resource of any kind. */
export type PlannedChange =
  | ChannelChange
  | CheckChange
  | AlertChange
  | PatternChange
  | SloChange
  | PolicyChange
  | RotaChange
  | IncidentPolicyChange
  | StatusPageChange
  | WindowChange;

/** A resource of the service that the config doesn't have; --prune deletes it. */
export interface Prunable {
  kind: DeployedKind;
  name: string;
}

/** A deprecated or retired location of a monitor, with where to go. */
export interface LocationNotice {
  monitor: string;
  locationId: string;
  message: string;
}

/** A resource of the service that the config doesn't have and that no deploy deletes. */
export interface LeftAlone extends Prunable {
  id: string;
  reason: string;
}

/** The steps that make the service what the config says, and the resources that stay as they are. */
export interface Plan {
  project: string;
  /** Former name of the project, whose resources it takes over. */
  renamedFrom?: string;
  changes: PlannedChange[];
  prunable: Prunable[];
  leftAlone: LeftAlone[];
  /** Deprecated and retired locations of the monitors. */
  locationNotices: LocationNotice[];
  /** True when what the config doesn't have is deleted. */
  isPruning: boolean;
}

/** The facts that a plan is decided from. */
export interface PlanInput {
  desired: Desired;
  remote: Remote;
  state: DeployState;
  secrets: Secrets;
  isPruning: boolean;
}

/** The channels as they will be after the deploy, for resources that refer to them. */
export interface ChannelIndex {
  /** Returns the name of the channel, or the id itself when the service has no such channel. */
  nameOf(id: string): string;
  /** True when the channel is deleted and created again under its name, with a new id. */
  isReplaced(id: string): boolean;
}

/** The checks as they will be after the deploy, for resources that refer to them. */
export interface CheckIndex {
  /** Returns the name that the config gives to the check, else the service's, else the id itself. */
  nameOf(id: string): string;
  /** Returns the check of a monitor; undefined when the deploy creates it, or creates it again. */
  idOf(monitor: string): string | undefined;
  /** True when the deploy deletes the check. */
  isDeleted(id: string): boolean;
}

/** The third-party patterns as they will be after the deploy, for SLOs that refer to them. */
export interface PatternIndex {
  /** Returns the name of the pattern, or the id itself when the service has no such pattern. */
  nameOf(id: string): string;
  /** True when the deploy deletes the pattern, be it to create it again with another host pattern. */
  isDeleted(id: string): boolean;
}

/** Whatever a deploy's SLOs refer to. */
export interface Indexes {
  channels: ChannelIndex;
  checks: CheckIndex;
  patterns: PatternIndex;
}

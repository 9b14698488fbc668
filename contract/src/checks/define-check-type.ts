/** The shape of a check type on the side of whoever configures one: its configuration, and what its runs add to a result. */
import type * as z from "zod";
import type { FamilyMember } from "../base/family.ts";
import type { Observation, ObservationOfProbes } from "../base/observation.ts";
import type { PushedTraits } from "./pushed.ts";
import type { RunCost } from "./run-cost.ts";

/** The monitor that `svc init` writes. */
interface StarterMonitor {
  /** Asks a person for the URL to watch. Absent: the monitor has none, and nothing is asked. */
  readonly question?: string;
  /** Returns the monitor's fields beside its name, its type and the path of its script. */
  fields(url: string): Record<string, unknown>;
  /** Returns the text of the script, for types that have one. */
  script?(url: string): string;
}

/**
 * The secret part of a field of the configuration, which the change log, plans and the command line's output mask.
 * - `credential`: all of it (a password); stored encrypted, and `svc pull` writes a variable in its place
 * - `content`: all of it (a body, a script); `svc pull` writes it, since it belongs to the config
 * - `url`: user name, password and credential-like query parameters of the URL
 * - `headers`: values of all headers but a few ordinary ones
 * - `auth`: values of an auth block but its type and the name of its header; stored encrypted
 * - `requests`: a list of requests, in each of which `url`, `headers`, `auth` and `body` (a content) are secret as these marks say
 * - `named`: texts under a credential's name, at any depth of objects and lists
 */
export type CheckSecretMark = "credential" | "content" | "url" | "headers" | "auth" | "named" | "requests";

/** The fields of a configuration: of a union, those of all its options. */
type FieldOf<Schema extends z.ZodType> = FieldOfObject<z.infer<Schema>>;
type FieldOfObject<Config> = Config extends unknown ? keyof Config & string : never;

/** The contract side of a check type: all that the API, the config and the command line have to know about it. */
export interface CheckTypeDefinition<
  Type extends string = string,
  ConfigKey extends string = string,
  ConfigSchema extends z.ZodType = z.ZodType,
  MonitorFields extends z.ZodRawShape = z.ZodRawShape,
  InheritedField extends string = string,
  DetailFields extends z.ZodRawShape = z.ZodRawShape,
> extends FamilyMember {
  readonly type: Type;
  /** The type as people read it: `TCP`. */
  readonly title: string;
  /** A phrase that says what a check of this type does. */
  readonly summary: string;
  /** The field of `POST /api/checks` that holds the configuration. */
  readonly configKey: ConfigKey;
  readonly configSchema: ConfigSchema;
  /** Fields of a monitor of this type in svc.config.yaml, beside those that all monitors have. None has a default. */
  readonly monitorFields: MonitorFields;
  /** Hints for fields that a monitor of this type does not take, by field. They complete the error message. */
  readonly monitorHints?: Readonly<Record<string, string>>;
  /** Returns notes on fields of a valid configuration that do nothing, for whoever writes svc.config.yaml. */
  monitorNotes?(config: z.infer<ConfigSchema>): { field: FieldOf<ConfigSchema>; note: string }[];
  /**
   * Returns the settings of a valid configuration that do nothing, with the reason, by their paths. They are refused where a check is
   * written; a check that is stored goes on as it is.
   */
  idleSettings?(config: z.infer<ConfigSchema>): { path: (string | number)[]; message: string }[];
  /** The names of `monitorFields` that `defaults` of svc.config.yaml can set for all monitors of the type. */
  readonly inheritedFields: readonly (InheritedField & keyof MonitorFields)[];
  /** The field of the configuration that holds a script. In svc.config.yaml this field is the path of the script's file. */
  readonly scriptField?: keyof MonitorFields & string;
  /**
   * Fields of the configuration that every monitor of svc.config.yaml has with these values, and that nobody writes
   * there.
   */
  readonly monitorConstants?: Readonly<Record<string, unknown>>;
  /** The field of the configuration with the URL or the host that is watched: alerts and incidents are correlated by it. */
  readonly targetField?: FieldOf<ConfigSchema>;
  /**
   * The field of the configuration with the server that is asked about the target, on types that never connect to the target itself. A
   * configuration without it means the runner's own.
   */
  readonly resolverField?: FieldOf<ConfigSchema>;
  /** The fields of the configuration that hold secrets, and which part of each is secret. */
  readonly secretFields: Readonly<Partial<Record<FieldOf<ConfigSchema>, CheckSecretMark>>>;
  /**
   * For each secret field the fields that say where its secrets go: a masked secret is kept only while they name the hosts that are
   * stored. A list of requests is held against each request's own URL besides.
   */
  readonly secretDestinations?: Readonly<
    Partial<Record<FieldOf<ConfigSchema>, readonly FieldOf<ConfigSchema>[]>>
  >;
  /**
   * Names of `monitorFields` that are durations such as `5m`, with the field of the configuration that holds the seconds of
   * each. The other fields have one name in both.
   */
  readonly monitorDurations?: Readonly<Record<string, string>>;
  /**
   * Present on a pushed type: nothing is probed, so it has no probe, no runner and no `frequencySeconds`, `locations` or
   * `retry` of its own. What is watched reports by itself, and a report that does not come in time is a failure.
   */
  readonly pushed?: PushedTraits;
  readonly starter: StarterMonitor;
  /** True when `svc test` runs monitors of this type on a developer's machine: their runs need no program beside the probe but one of the system. */
  readonly canRunLocally: boolean;
  /** Longest that a run takes beyond its time limit, to start its program and to close it, ms; absent: 0. */
  readonly overheadMs?: number;
  /** Cost of a run to its runner; absent: a second, and no browser. */
  readonly runCost?: RunCost;
  /** Cost of a run by the value of one field of the configuration; replaces `runCost`. */
  readonly runCostsBy?: {
    readonly field: FieldOf<ConfigSchema>;
    readonly costs: Readonly<Record<string, RunCost>>;
  };
  /** True when runs leave pictures or a video. */
  readonly keepsArtifacts?: true;
  /** True when a result lists the requests that its page made, by which failures of several checks are correlated. */
  readonly listsRequests?: true;
  /** Observations that only some types make, and that runs of this type do make. */
  readonly observes?: readonly Exclude<Observation, ObservationOfProbes | "certificate">[];
  /** Returns why no run with this configuration meets a certificate; undefined when one may. Absent: one always may. */
  whyNoCertificate?(config: Readonly<Record<string, unknown>>): string | undefined;
  /** Schemas of the details that a run of this type adds to a result, by their names there. */
  readonly detailFields: DetailFields;
}

/** Returns the definition of a check type. Its probe has a folder of the type's name in the probes package. */
export function defineCheckType<
  const Type extends string,
  const ConfigKey extends string,
  ConfigSchema extends z.ZodType,
  MonitorFields extends z.ZodRawShape,
  DetailFields extends z.ZodRawShape,
  const InheritedField extends string = never,
>(
  definition: CheckTypeDefinition<Type, ConfigKey, ConfigSchema, MonitorFields, InheritedField, DetailFields>,
): CheckTypeDefinition<Type, ConfigKey, ConfigSchema, MonitorFields, InheritedField, DetailFields> {
  return definition;
}

/** Returns the definition of a pushed check type, which has no probe. */
export function definePushedCheckType<
  const Type extends string,
  const ConfigKey extends string,
  ConfigSchema extends z.ZodType,
  MonitorFields extends z.ZodRawShape,
  DetailFields extends z.ZodRawShape,
>(
  definition: CheckTypeDefinition<Type, ConfigKey, ConfigSchema, MonitorFields, never, DetailFields> & Pushed,
): CheckTypeDefinition<Type, ConfigKey, ConfigSchema, MonitorFields, never, DetailFields> & Pushed {
  return definition;
}

interface Pushed {
  readonly pushed: PushedTraits;
}

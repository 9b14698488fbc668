/** Rows of checks and their form in the API. */
import {
  type Check,
  type CheckId,
  type CheckType,
  MASK,
  maskCheckConfigForRead,
  maskMarked,
  type Retry,
  secretMarksOf,
  type TeamId,
  type TestRunId,
  vaultNamesIn,
} from "@svc/contract";
import objection from "objection";
import type { SecretBox } from "../platform/db/secret-box.ts";

/** A row of `checks`. Results refer to `key`; the API shows `id`. */
export class CheckModel extends objection.Model {
  static override tableName = "checks";
  static override idColumn = "key";
  static override jsonAttributes = ["config", "retry"];

  declare key: number;
  declare id: CheckId;
  declare teamId: TeamId;
  declare name: string;
  declare type: CheckType;
  /** The part of the configuration that may be seen; see {@link SplitConfig}. */
  declare config: Record<string, unknown>;
  declare configSecrets: Buffer | null;
  /** SHA-256 of the token by which a pushed check reports; null: the check is probed. */
  declare pushTokenHash: Buffer | null;
  declare pushTokenSealed: Buffer | null;
  /** Names of the secrets that the configuration refers to, each once. */
  declare vaultNames: string[];
  declare frequencySeconds: number;
  /** The order decides the stagger. */
  declare locationIds: string[];
  /** Ids of the checks that it can't work without. */
  declare dependsOn: CheckId[];
  declare enabled: boolean;
  /** True while a maintenance window in pause mode holds: the check does not run, whatever `enabled` says. */
  declare paused: boolean;
  declare retry: Retry | null;
  declare revision: number;
  declare createdAt: string;
  declare updatedAt: string | null;
}

/** A configuration as it is stored: a part that anybody who reads the database may see, and a part that is sealed. */
export interface SplitConfig {
  /**
   * The fields without a secret; of a URL with credentials, the URL without them, by which statements find a check's
   * target; of requests, what they have beside their secrets, such as the API specs that their assertions name.
   */
  shown: Record<string, unknown>;
  /** The fields that are sealed, as they were given. Where a field stands in both parts, this one counts. */
  sealed: Record<string, unknown>;
}

/**
 * Splits a configuration by the marks of its type. A field with a mark is sealed as a whole, whether this one's value
 * holds a secret or not; a URL only when it has credentials. Pure.
 */
export function splitConfig(type: CheckType, config: Readonly<Record<string, unknown>>): SplitConfig {
  const marks = secretMarksOf(type);
  const split: SplitConfig = { shown: {}, sealed: {} };
  for (const [field, value] of Object.entries(config)) {
    const mark = value === undefined ? undefined : marks[field];
    const isPartlyShown = mark === "url" || mark === "requests";
    const shown = isPartlyShown ? maskMarked(value, mark) : value;
    if (mark === undefined || isPartlyShown) split.shown[field] = shown;
    if (mark !== undefined && (mark !== "url" || shown !== value)) split.sealed[field] = value;
  }
  return split;
}

/** Returns the columns of a configuration: secret fields apart and sealed, null when there are none. */
export function configColumns(
  secrets: SecretBox,
  {
    checkId,
    type,
    config,
  }: { checkId: CheckId | TestRunId; type: CheckType; config: Record<string, unknown> },
): Pick<CheckModel, "config" | "configSecrets" | "vaultNames"> {
  const { shown, sealed } = splitConfig(type, config);
  return {
    config: shown,
    vaultNames: vaultNamesIn(config),
    configSecrets: Object.keys(sealed).length > 0 ? secrets.seal(JSON.stringify(sealed), checkId) : null,
  };
}

/**
 * Returns the configuration as it was given.
 * @throws Error when the secrets were sealed under a key that is not known
 */
export function configFromRow(
  secrets: SecretBox,
  row: Pick<CheckModel, "id" | "config" | "configSecrets">,
): Record<string, unknown> {
  return { ...row.config, ...openSealed(secrets, row) };
}

/**
 * Returns the configuration as `mask` answers it, and hides besides what was sealed without a mark that is known here: a newer replica
 * seals the secret fields of its own version.
 * @throws Error when the secrets were sealed under a key that is not known
 */
export function maskedConfigFromRow(
  secrets: SecretBox,
  row: Pick<CheckModel, "id" | "type" | "config" | "configSecrets">,
  mask: (type: string, config: Readonly<Record<string, unknown>>) => Record<string, unknown>,
): Record<string, unknown> {
  const sealed = openSealed(secrets, row);
  const marks = secretMarksOf(row.type);
  const unmarked = Object.keys(sealed).filter((field) => marks[field] === undefined);
  return {
    ...mask(row.type, { ...row.config, ...sealed }),
    ...Object.fromEntries(unmarked.map((field) => [field, MASK])),
  };
}

function openSealed(
  secrets: SecretBox,
  { id, configSecrets }: Pick<CheckModel, "id" | "configSecrets">,
): Record<string, unknown> {
  return configSecrets === null
    ? {}
    : (JSON.parse(secrets.open(configSecrets, id)) as Record<string, unknown>);
}

/** Whether a read answers secrets, or `***` for each, or for each but bodies and scripts. */
export type SecretsShown = "shown" | "masked" | "masked_credentials";

/**
 * Returns a check as the API shows it. Throws where its secrets were sealed under a key that is not known.
 * @param shown default: with its secrets
 */
export function checkFromRow(secrets: SecretBox, row: CheckModel, shown: SecretsShown = "shown"): Check {
  return {
    id: row.id,
    teamId: row.teamId,
    name: row.name,
    type: row.type,
    configJson:
      shown === "shown"
        ? configFromRow(secrets, row)
        : maskedConfigFromRow(secrets, row, (type, config) =>
            maskCheckConfigForRead(type, config, { hasContent: shown === "masked_credentials" }),
          ),
    frequencySeconds: row.frequencySeconds,
    locations: row.locationIds,
    enabled: row.enabled,
    retry: row.retry,
    ...(row.dependsOn.length > 0 && { dependsOn: row.dependsOn }),
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

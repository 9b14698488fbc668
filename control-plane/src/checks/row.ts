/** Rows of checks and their form in the API. */
import {
  type Check,
  type CheckId,
  type CheckType,
  type Retry,
  secretMarksOf,
  type TeamId,
} from "@svc/contract";
import objection from "objection";
import type { SecretBox } from "../platform/db/secret-box.ts";

/** A row of `checks`. `key` is what results carry, `id` what the API shows. */
export class CheckModel extends objection.Model {
  static override tableName = "checks";
  static override idColumn = "key";
  static override jsonAttributes = ["config", "retry"];

  declare key: number;
  declare id: CheckId;
  declare teamId: TeamId;
  declare name: string;
  declare type: CheckType;
  /** The configuration without its secret fields. */
  declare config: Record<string, unknown>;
  declare configSecrets: Buffer | null;
  declare frequencySeconds: number;
  /** The order decides the stagger. */
  declare locationIds: string[];
  declare enabled: boolean;
  /** True while a maintenance window in pause mode holds: the check does not run, whatever `enabled` says. */
  declare paused: boolean;
  declare retry: Retry | null;
  declare revision: number;
  declare createdAt: string;
  declare updatedAt: string | null;
}

/** Returns the columns of a configuration: secret fields apart and sealed, null when there are none. */
export function configColumns(
  secrets: SecretBox,
  { checkId, type, config }: { checkId: CheckId; type: CheckType; config: Record<string, unknown> },
): Pick<CheckModel, "config" | "configSecrets"> {
  const marks = secretMarksOf(type);
  const isSecret = ([field, value]: [string, unknown]) =>
    (marks[field] === "auth" || marks[field] === "credential") && value !== undefined;
  const entries = Object.entries(config);
  const secret = Object.fromEntries(entries.filter(isSecret));
  return {
    config: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    configSecrets: Object.keys(secret).length > 0 ? secrets.seal(JSON.stringify(secret), checkId) : null,
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
  if (row.configSecrets === null) return row.config;
  return {
    ...row.config,
    ...(JSON.parse(secrets.open(row.configSecrets, row.id)) as Record<string, unknown>),
  };
}

export function checkFromRow(secrets: SecretBox, row: CheckModel): Check {
  return {
    id: row.id,
    teamId: row.teamId,
    name: row.name,
    type: row.type,
    configJson: configFromRow(secrets, row),
    frequencySeconds: row.frequencySeconds,
    locations: row.locationIds,
    enabled: row.enabled,
    retry: row.retry,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

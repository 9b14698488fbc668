/** Describes a check for the change log. Pure. */
import { maskCheckConfig } from "@svc/contract";
import type { Described } from "../accounts/change-log/changed-fields.ts";
import type { SecretBox } from "../platform/db/secret-box.ts";
import { type CheckModel, configFromRow, maskedConfigFromRow } from "./row.ts";

/** Returns a check with its secrets: the change log compares these. */
export function describeCheck(secrets: SecretBox, row: CheckModel): Described {
  const { name, frequencySeconds, locationIds, enabled, retry, dependsOn } = row;
  return {
    name,
    enabled,
    frequencySeconds,
    retry,
    locations: locationIds,
    ...(dependsOn.length > 0 && { dependsOn }),
    configJson: configFromRow(secrets, row),
  };
}

/** Returns a check with its secrets masked: the change log shows these. */
export function describeCheckMasked(secrets: SecretBox, row: CheckModel): Described {
  return {
    ...describeCheck(secrets, row),
    configJson: maskedConfigFromRow(secrets, row, maskCheckConfig),
  };
}

/** A check as the change log compares and shows it. Pure. */
import { maskCheckConfig } from "@svc/contract";
import type { Described } from "../accounts/change-log/changed-fields.ts";
import type { SecretBox } from "../platform/db/secret-box.ts";
import { type CheckModel, configFromRow } from "./row.ts";

/** With its secrets: what differs is found here. */
export function describeCheck(secrets: SecretBox, row: CheckModel): Described {
  const { name, frequencySeconds, locationIds, enabled, retry } = row;
  return {
    ...{ name, enabled, frequencySeconds, retry },
    locations: locationIds,
    configJson: configFromRow(secrets, row),
  };
}

/** The same as it may be shown. */
export function describeCheckMasked(secrets: SecretBox, row: CheckModel): Described {
  return { ...describeCheck(secrets, row), configJson: maskCheckConfig(configFromRow(secrets, row)) };
}

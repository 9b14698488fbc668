/** A channel as the change log compares and shows it. Pure. */
import { maskChannelConfig } from "@svc/contract";
import type { Described } from "../../accounts/change-log/changed-fields.ts";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import { type ChannelModel, configFromRow, submittedFromRow } from "./row.ts";

/** Returns the channel with its secrets, which the comparison of two versions needs. */
export function describeChannel(secrets: SecretBox, row: ChannelModel): Described {
  const { name, incidentTemplate, incidentSubscribed } = row;
  return { name, channel: submittedFromRow(secrets, row), incidentTemplate, incidentSubscribed };
}

/** Returns the channel as it may be shown: what its type marks as secret is masked. */
export function describeChannelMasked(secrets: SecretBox, row: ChannelModel): Described {
  return { ...describeChannel(secrets, row), channel: maskChannelConfig(configFromRow(secrets, row)) };
}

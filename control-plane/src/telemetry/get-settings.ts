import type { TelemetrySettings } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { readExportStatus } from "./export/export-store.ts";
import { DEFAULT_SETTINGS, maskedHeaders, openHeaders } from "./settings.ts";
import { findSettings } from "./settings-store.ts";

/** Returns the team's settings, header values masked, with the status of its exports. */
export async function getSettings({ services, teamId }: TeamContext): Promise<TelemetrySettings> {
  const { knex, secrets } = services;
  const { headers, ...rest } = (await findSettings(knex, teamId)) ?? DEFAULT_SETTINGS;
  return {
    ...rest,
    headers: maskedHeaders(openHeaders(secrets, teamId, headers)),
    status: await readExportStatus(knex, teamId),
  };
}

import { maskEndpointForRead, type TelemetrySettings } from "@svc/contract";
import type { TeamContext } from "../platform/team-context.ts";
import { readExportStatus } from "./export/export-store.ts";
import { DEFAULT_SETTINGS, maskedHeaders, openEndpoint, openHeaders } from "./settings.ts";
import { findSettings } from "./settings-store.ts";

/** Returns the team's settings, header values and credentials in the endpoint masked, with the status of its exports. */
export async function getSettings({ services, teamId }: TeamContext): Promise<TelemetrySettings> {
  const { knex, secrets } = services;
  const { headers, endpointSealed, ...rest } = (await findSettings(knex, teamId)) ?? DEFAULT_SETTINGS;
  const endpoint = openEndpoint(secrets, teamId, { endpoint: rest.endpoint, endpointSealed });
  return {
    ...rest,
    endpoint: endpoint === null ? null : maskEndpointForRead(endpoint),
    headers: maskedHeaders(openHeaders(secrets, teamId, headers)),
    status: await readExportStatus(knex, teamId),
  };
}

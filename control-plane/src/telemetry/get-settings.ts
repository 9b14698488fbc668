import { KEPT_HEADER_VALUE, type TeamId, type TelemetrySettings } from "@svc/contract";
import type { SecretBox } from "../platform/db/secret-box.ts";
import type { Services } from "../platform/services.ts";
import { readExportStatus } from "./export/export-store.ts";
import { findSettings, type SettingsRow } from "./settings-store.ts";

/** What holds for a team that set nothing. */
export const DEFAULT_SETTINGS: SettingsRow = {
  endpoint: null,
  protocol: "http/protobuf",
  headers: null,
  enabled: false,
  traces: false,
  metrics: false,
  caCertificate: null,
  updatedAt: null,
};

/** The team's settings with how its exports are going. */
export async function getSettings({ knex, secrets }: Services, teamId: TeamId): Promise<TelemetrySettings> {
  const row = (await findSettings(knex, teamId)) ?? DEFAULT_SETTINGS;
  const { headers, ...rest } = row;
  return {
    ...rest,
    headers: maskedHeaders(openHeaders(secrets, headers)),
    status: await readExportStatus(knex, teamId),
  };
}

/** @throws Error when no known key opens them */
export function openHeaders(secrets: SecretBox, sealed: Buffer | null): Record<string, string> {
  return sealed === null ? {} : JSON.parse(secrets.open(sealed));
}

export function maskedHeaders(headers: Record<string, string>): Record<string, typeof KEPT_HEADER_VALUE> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, KEPT_HEADER_VALUE]));
}

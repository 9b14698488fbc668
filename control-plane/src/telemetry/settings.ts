/** Telemetry settings: their defaults, and headers sealed, opened and masked. */
import { KEPT_HEADER_VALUE, type TeamId } from "@svc/contract";
import type { SecretBox } from "../platform/db/secret-box.ts";
import type { SettingsRow } from "./settings-store.ts";

/** The settings of a team that set nothing. */
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

/**
 * Opens the sealed headers of a team.
 * @throws Error when no known key opens them
 */
export function openHeaders(
  secrets: SecretBox,
  teamId: TeamId,
  sealed: Buffer | null,
): Record<string, string> {
  return sealed === null ? {} : JSON.parse(secrets.open(sealed, teamId));
}

/** Returns the headers with each value masked. */
export function maskedHeaders(headers: Record<string, string>): Record<string, typeof KEPT_HEADER_VALUE> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, KEPT_HEADER_VALUE]));
}

/** Telemetry settings: their defaults, and endpoint and headers sealed, opened and masked. */
import { KEPT_HEADER_VALUE, maskUrl, type TeamId } from "@svc/contract";
import type { SecretBox } from "../platform/db/secret-box.ts";
import type { SettingsRow } from "./settings-store.ts";

/** The settings of a team that set nothing. */
export const DEFAULT_SETTINGS: SettingsRow = {
  endpoint: null,
  endpointSealed: null,
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

/** Returns the columns of an endpoint: the URL that may be seen, and the whole one, sealed, when it holds a credential. */
export function endpointColumns(
  secrets: SecretBox,
  teamId: TeamId,
  endpoint: string | null,
): Pick<SettingsRow, "endpoint" | "endpointSealed"> {
  const shown = endpoint === null ? null : maskUrl(endpoint);
  const isSealed = endpoint !== null && shown !== endpoint;
  return { endpoint: shown, endpointSealed: isSealed ? secrets.seal(endpoint, teamId) : null };
}

/**
 * Returns the endpoint as it was given; null: none is set.
 * @throws Error when no known key opens it
 */
export function openEndpoint<Endpoint extends string | null>(
  secrets: SecretBox,
  teamId: TeamId,
  { endpoint, endpointSealed }: { endpoint: Endpoint; endpointSealed: Buffer | null },
): Endpoint | string {
  return endpointSealed === null ? endpoint : secrets.open(endpointSealed, teamId);
}

/** Returns the headers with each value masked. */
export function maskedHeaders(headers: Record<string, string>): Record<string, typeof KEPT_HEADER_VALUE> {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, KEPT_HEADER_VALUE]));
}

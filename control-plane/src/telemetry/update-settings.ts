import {
  invalidField,
  KEPT_HEADER_VALUE,
  keepMaskedEndpoint,
  maskUrl,
  REDACTED,
  TELEMETRY_SIGNALS,
  type TelemetrySignal,
  type UpdateTelemetry,
} from "@svc/contract";
import { changeRecord } from "../accounts/change-log/change-record.ts";
import { changedFields } from "../accounts/change-log/changed-fields.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { setSignals } from "./export/export-store.ts";
import { DEFAULT_SETTINGS, endpointColumns, openEndpoint, openHeaders } from "./settings.ts";
import { lockSettings, type SettingsRow, upsertSettings } from "./settings-store.ts";

/**
 * Changes the settings that the input names. A signal that is switched on exports what happens from now on; one that stays
 * on continues where it was, also at another endpoint.
 * @throws DomainError `invalid`: enabled without an endpoint; kept headers that are not stored, or that would go to
 *   another origin; an endpoint with `***` that is not the stored one masked
 */
export async function updateSettings(ctx: TeamContext, input: UpdateTelemetry): Promise<void> {
  const { status: _status, updatedAt: _updatedAt, headers: givenHeaders, ...given } = input;
  const { services, teamId } = ctx;
  const { secrets, clock } = services;
  await changeRecord(ctx, async (trx) => {
    const before = await lockSettings(trx, teamId);
    const current = before ?? { ...DEFAULT_SETTINGS, enabled: true };
    const kept = openHeaders(secrets, teamId, current.headers);
    const movesAway = given.endpoint !== undefined && !hasSameOrigin(given.endpoint, current.endpoint);
    const headers = mergeHeaders(kept, givenHeaders, movesAway);
    const endpointBefore = openEndpoint(secrets, teamId, current);
    const endpoint =
      given.endpoint === undefined ? endpointBefore : keepMaskedEndpoint(given.endpoint, endpointBefore);
    const after: SettingsRow = {
      ...current,
      ...withoutUndefined(given),
      ...endpointColumns(secrets, teamId, endpoint),
      headers: Object.keys(headers).length === 0 ? null : secrets.seal(JSON.stringify(headers), teamId),
      updatedAt: before ? new Date(clock.nowMs()).toISOString() : null,
    };
    if (after.enabled && after.endpoint === null)
      throw invalidField("endpoint", "required while the export is enabled");
    await upsertSettings(trx, teamId, after);
    await setSignals(trx, teamId, signalsOf(after));
    const described = {
      before: describe({ ...(before ?? DEFAULT_SETTINGS), endpoint: endpointBefore }, kept),
      after: describe({ ...after, endpoint }, headers),
    };
    const masks = { before: masked(described.before), after: masked(described.after) };
    return {
      result: undefined,
      changes: [
        {
          action: before ? "updated" : "created",
          type: "telemetry",
          resourceId: teamId,
          name: null,
          changedFields: before ? changedFields(described.before, described.after, masks) : [],
        },
      ],
    };
  });
}

function signalsOf({ enabled, traces, metrics }: SettingsRow): TelemetrySignal[] {
  const wanted = { logs: true, traces, metrics };
  return enabled ? TELEMETRY_SIGNALS.filter((signal) => wanted[signal]) : [];
}

/**
 * Returns the headers to store. Kept values stay with the origin that they were given for; else anyone who may change the
 * endpoint could have them sent to a server of their own.
 */
function mergeHeaders(
  kept: Record<string, string>,
  given: Record<string, string> | undefined,
  movesAway: boolean,
): Record<string, string> {
  const wanted =
    given ?? Object.fromEntries(Object.keys(kept).map((name) => [name, KEPT_HEADER_VALUE] as const));
  return Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => {
      if (value !== KEPT_HEADER_VALUE) return [name, value];
      if (kept[name] === undefined) throw invalidField("headers", `${name} has no stored value to keep`);
      if (movesAway)
        throw invalidField("headers", `give ${name} its value again: the endpoint is another one`);
      return [name, kept[name]];
    }),
  );
}

function hasSameOrigin(url: string, other: string | null): boolean {
  return other !== null && new URL(url).origin === new URL(other).origin;
}

function withoutUndefined<T extends object>(
  object: T,
): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Partial<{
    [K in keyof T]: Exclude<T[K], undefined>;
  }>;
}

function describe(
  { endpoint, protocol, enabled, traces, metrics, caCertificate }: SettingsRow,
  headers: Record<string, string>,
) {
  return { endpoint, protocol, enabled, traces, metrics, caCertificate, headers };
}

function masked<T extends { endpoint: string | null; headers: Record<string, string> }>(described: T): T {
  const names = Object.keys(described.headers);
  const endpoint = described.endpoint === null ? null : maskUrl(described.endpoint);
  return { ...described, endpoint, headers: Object.fromEntries(names.map((name) => [name, REDACTED])) };
}

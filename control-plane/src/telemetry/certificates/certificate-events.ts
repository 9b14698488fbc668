/** Events about certificates. Pure. */
import { runIdOf, statusOfCode, type TeamId, type TlsFacts } from "@svc/contract";
import type { DerivedEvent, EventAttributes } from "../derived-event-store.ts";
import { ATTR } from "../records/attributes.ts";
import { certificateHash, protocolAttributes } from "../records/tls-attributes.ts";
import { CRITICAL_DAYS, type ExpiryWarning, type SightingNews } from "./certificate-state.ts";

/** A run that saw a certificate. */
export interface CertificateRun {
  checkKey: number;
  slotMs: number;
  /** As stored: 1 success and so on. */
  status: number;
  traceId: string | null;
  location: { id: string; name: string } | undefined;
}

/** The run that brought news of one. */
export interface SightingRun extends CertificateRun {
  teamId: TeamId;
  checkId: string;
  atMs: number;
}

/** What a sighting is told by: one event, two, or none. */
export function sightingEvents(run: SightingRun, facts: TlsFacts, news: SightingNews): DerivedEvent[] {
  if (!news.isObserved) return [];
  const { teamId, checkId, traceId, atMs } = run;
  const common = { teamId, checkId, traceId, occurredAtMs: atMs };
  const attributes: EventAttributes = {
    ...placeAttributes(run),
    [ATTR.serverAddress]: facts.host,
    [ATTR.tlsSha256]: certificateHash(facts.fingerprintSha256),
    [ATTR.tlsIssuer]: facts.issuer,
    [ATTR.tlsSubject]: facts.subject,
    [ATTR.tlsNotBefore]: facts.validFrom,
    [ATTR.tlsNotAfter]: facts.validTo,
    ...protocolAttributes(facts.protocol),
    [ATTR.tlsCipher]: facts.cipher,
    [ATTR.tlsIsTrusted]: facts.isTrusted,
    [ATTR.tlsIsSelfSigned]: facts.isSelfSigned,
  };
  const observed: DerivedEvent = {
    ...common,
    name: "synthetics.tls.certificate_observed",
    severity: "info",
    attributes,
  };
  const previous = news.previousFingerprintSha256;
  if (previous === undefined) return [observed];
  const changed: DerivedEvent = {
    ...common,
    name: "synthetics.tls.certificate_changed",
    severity: "warning",
    attributes: { ...attributes, [ATTR.tlsPreviousSha256]: certificateHash(previous) },
  };
  return [changed, observed];
}

/** @param run the newest one of a location that sees the certificate; undefined: its results are gone */
export function expiryEvent(
  of: { teamId: TeamId; checkId: string; host: string },
  { fingerprintSha256, validToMs, thresholdDays, daysLeft }: ExpiryWarning,
  run: CertificateRun | undefined,
  nowMs: number,
): DerivedEvent {
  const { teamId, checkId, host } = of;
  return {
    ...{ teamId, checkId, occurredAtMs: nowMs, traceId: run?.traceId ?? null },
    name: "synthetics.tls.expiring_soon",
    severity: thresholdDays <= CRITICAL_DAYS ? "critical" : "warning",
    attributes: {
      ...(run ? placeAttributes(run) : {}),
      [ATTR.serverAddress]: host,
      [ATTR.tlsSha256]: certificateHash(fingerprintSha256),
      [ATTR.tlsNotAfter]: new Date(validToMs).toISOString(),
      [ATTR.tlsDaysLeft]: daysLeft,
      [ATTR.tlsThresholdDays]: thresholdDays,
    },
  };
}

function placeAttributes(run: CertificateRun): EventAttributes {
  return {
    [ATTR.runId]: runIdOf(run),
    [ATTR.locationId]: run.location?.id,
    [ATTR.locationName]: run.location?.name,
    [ATTR.checkStatus]: statusOfCode(run.status),
  };
}

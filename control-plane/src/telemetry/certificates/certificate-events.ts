/** Builds the derived events of certificates. Pure. */
import {
  type CheckId,
  type LocationId,
  runIdOf,
  statusOfCode,
  type TeamId,
  type TlsFacts,
} from "@svc/contract";
import {
  type CertificateValues,
  certificateChanged,
  certificateExpiringSoon,
  certificateObserved,
} from "../derived-events/certificate-events.ts";
import { attributesOfEvent } from "../derived-events/define-derived-event.ts";
import type { DerivedEvent } from "../derived-events/store.ts";
import { certificateHash, tlsProtocolOf } from "../records/tls-attributes.ts";
import { CRITICAL_DAYS, type ExpiryWarning, type SightingChange } from "./certificate-state.ts";

/** A run that saw a certificate. */
export interface CertificateRun {
  checkKey: number;
  slotMs: number;
  /** Number of the status. */
  status: number;
  traceId: string | null;
  location: { id: LocationId; name: string } | undefined;
}

/** A run by which something changed about a certificate. */
export interface SightingRun extends CertificateRun {
  teamId: TeamId;
  checkId: CheckId;
  /** End of the run, Unix ms. */
  atMs: number;
}

/** Returns the events of a sighting: none, one, or both for a certificate that replaced another. */
export function sightingEvents(run: SightingRun, facts: TlsFacts, change: SightingChange): DerivedEvent[] {
  if (!change.isObserved) return [];
  const { teamId, checkId, traceId, atMs } = run;
  const common = { teamId, checkId, traceId, occurredAtMs: atMs };
  const values = certificateValues(run, facts);
  const observed: DerivedEvent = {
    ...common,
    name: certificateObserved.type,
    severity: "info",
    attributes: attributesOfEvent(certificateObserved, values),
  };
  const previous = change.previousFingerprintSha256;
  if (previous === undefined) return [observed];
  const changedValues = { ...values, previousSha256: certificateHash(previous) };
  const changed: DerivedEvent = {
    ...common,
    name: certificateChanged.type,
    severity: "warning",
    attributes: attributesOfEvent(certificateChanged, changedValues),
  };
  return [changed, observed];
}

function certificateValues(run: CertificateRun, facts: TlsFacts): CertificateValues {
  const protocol = tlsProtocolOf(facts.protocol);
  return {
    ...runValues(run),
    host: facts.host,
    sha256: certificateHash(facts.fingerprintSha256),
    issuer: facts.issuer,
    subject: facts.subject,
    notBefore: facts.validFrom,
    notAfter: facts.validTo,
    protocolName: protocol.name,
    protocolVersion: protocol.version,
    cipher: facts.cipher,
    isTrusted: facts.isTrusted,
    isSelfSigned: facts.isSelfSigned,
  };
}

/** The warning to report, the run that saw the certificate, and the present instant (Unix ms). */
export interface ExpiryEventInput {
  warning: ExpiryWarning;
  /** The newest run of a location that sees the certificate; undefined: its results were deleted. */
  run: CertificateRun | undefined;
  nowMs: number;
}

/** Returns the event of a certificate of a check's host that expires soon. */
export function expiryEvent(
  { teamId, checkId, host }: { teamId: TeamId; checkId: CheckId; host: string },
  { warning, run, nowMs }: ExpiryEventInput,
): DerivedEvent {
  const { fingerprintSha256, validToMs, thresholdDays, daysLeft } = warning;
  return {
    teamId,
    checkId,
    occurredAtMs: nowMs,
    traceId: run?.traceId ?? null,
    name: certificateExpiringSoon.type,
    severity: thresholdDays <= CRITICAL_DAYS ? "critical" : "warning",
    attributes: attributesOfEvent(certificateExpiringSoon, {
      ...(run && runValues(run)),
      host,
      sha256: certificateHash(fingerprintSha256),
      notAfter: new Date(validToMs).toISOString(),
      daysLeft,
      thresholdDays,
    }),
  };
}

function runValues(run: CertificateRun) {
  return {
    runId: runIdOf(run),
    locationId: run.location?.id,
    locationName: run.location?.name,
    checkStatus: statusOfCode(run.status),
  };
}

/**
 * The state of a host's certificates as one check sees them: the last one per location, and the warnings of expiry that
 * were given. Decides which sightings and expiries become events. Pure.
 */
import { DAY_MS, type TlsFacts } from "@svc/contract";

/** The certificate that a location saw last. */
interface CertificateView {
  fingerprintSha256: string;
  validToMs: number;
  /** Slot of the run that reported it. */
  slotMs: number;
}

/** Everything that is remembered about the certificates of one host. */
export interface CertificateState {
  /** Views by location key. */
  views: Record<string, CertificateView>;
  /** Smallest threshold (in days) that a warning was given for, by fingerprint. */
  warned: Record<string, number>;
}

/** Days before the expiry at which a warning is given, the largest first. */
const WARNING_THRESHOLDS_DAYS = [30, 14, 7, 3, 1] as const;
/** A warning at this threshold or a smaller one is critical. */
export const CRITICAL_DAYS = 3;

/** A certificate that one run saw at one location. */
export interface Sighting {
  locationKey: number;
  slotMs: number;
  facts: TlsFacts;
}

/** The change that a sighting brings. */
export interface SightingChange {
  /** True when no location of the check had seen the certificate before. */
  isObserved: boolean;
  /** The other certificate that the location saw before; undefined: none. */
  previousFingerprintSha256: string | undefined;
}

/**
 * Applies a sighting. Only the first location that sees a certificate reports it as observed; locations that follow in the
 * rollout don't repeat it. A sighting older than the location's last one changes nothing, and the state is returned as is.
 */
export function applySighting(
  state: CertificateState,
  { locationKey, slotMs, facts }: Sighting,
): { state: CertificateState; change: SightingChange } {
  const before = state.views[locationKey];
  const none = { isObserved: false, previousFingerprintSha256: undefined };
  if (before && before.slotMs > slotMs) return { state, change: none };
  const { fingerprintSha256 } = facts;
  const view = { fingerprintSha256, validToMs: Date.parse(facts.validTo), slotMs };
  const after = { views: { ...state.views, [locationKey]: view }, warned: state.warned };
  const isKnown = Object.values(state.views).some((other) => other.fingerprintSha256 === fingerprintSha256);
  if (isKnown) return { state: forgetUnseen(after), change: none };
  return {
    state: forgetUnseen(after),
    change: { isObserved: true, previousFingerprintSha256: before?.fingerprintSha256 },
  };
}

/** Forgets the warnings of certificates that no location sees any more. */
function forgetUnseen({ views, warned }: CertificateState): CertificateState {
  const seen = new Set(Object.values(views).map(({ fingerprintSha256 }) => fingerprintSha256));
  return { views, warned: Object.fromEntries(Object.entries(warned).filter(([of]) => seen.has(of))) };
}

/** Returns when the next threshold of a certificate in sight is crossed, Unix ms; null when all warnings were given. */
export function nextWarningAtMs({ views, warned }: CertificateState): number | null {
  const instants = Object.values(views).flatMap(({ fingerprintSha256, validToMs }) => {
    const given = warned[fingerprintSha256] ?? Number.POSITIVE_INFINITY;
    const next = WARNING_THRESHOLDS_DAYS.find((days) => days < given);
    return next === undefined ? [] : [validToMs - next * DAY_MS];
  });
  return instants.length === 0 ? null : Math.min(...instants);
}

/** Returns when the first of the certificates in sight ends, Unix ms; null when none is in sight. */
export function earliestExpiryMs({ views }: CertificateState): number | null {
  const instants = Object.values(views).map(({ validToMs }) => validToMs);
  return instants.length === 0 ? null : Math.min(...instants);
}

/** A certificate whose threshold was crossed. */
export interface ExpiryWarning {
  /** A location that sees it. */
  locationKey: number;
  fingerprintSha256: string;
  validToMs: number;
  thresholdDays: number;
  daysLeft: number;
}

/**
 * Returns the warnings that are due, and the state in which they count as given: per certificate the smallest threshold
 * that was crossed, unless its warning was given before.
 */
export function giveWarnings(
  state: CertificateState,
  nowMs: number,
): { state: CertificateState; warnings: ExpiryWarning[] } {
  const warned = { ...state.warned };
  const warnings: ExpiryWarning[] = [];
  for (const [locationKey, { fingerprintSha256, validToMs }] of Object.entries(state.views)) {
    const thresholdDays = WARNING_THRESHOLDS_DAYS.findLast((days) => validToMs - nowMs <= days * DAY_MS);
    if (thresholdDays === undefined || thresholdDays >= (warned[fingerprintSha256] ?? Infinity)) continue;
    warned[fingerprintSha256] = thresholdDays;
    const daysLeft = Math.floor((validToMs - nowMs) / DAY_MS);
    warnings.push({
      locationKey: Number(locationKey),
      fingerprintSha256,
      validToMs,
      thresholdDays,
      daysLeft,
    });
  }
  return { state: { views: state.views, warned }, warnings };
}

/**
 * What a check knows of a host's certificate: per location the one that it saw last, and which warnings of its expiry were
 * given. Decides what is worth telling. Pure.
 */
import type { TlsFacts } from "@svc/contract";
import { DAY_MS } from "@svc/contract";

/** What a location saw last. */
export interface CertificateView {
  fingerprintSha256: string;
  validToMs: number;
  /** Slot of the run that saw it first. */
  slotMs: number;
}

export interface CertificateState {
  /** By location key. */
  views: Record<string, CertificateView>;
  /** By fingerprint, the smallest threshold that was told, days. */
  warned: Record<string, number>;
}

/** A certificate is told of when it expires within so many days; the widest first. */
export const WARNING_THRESHOLDS_DAYS = [30, 14, 7, 3, 1] as const;
/** From here on it is urgent. */
export const CRITICAL_DAYS = 3;

export interface Sighting {
  locationKey: number;
  slotMs: number;
  facts: TlsFacts;
}

/** What a sighting means: the host's certificate was not known, or the location saw another one before. */
export interface SightingNews {
  isObserved: boolean;
  previousFingerprintSha256: string | undefined;
}

/**
 * Takes a sighting in. The first location to see a certificate tells of it; others that follow in the same rollout don't
 * repeat it. A sighting older than what the location saw last changes nothing.
 */
export function takeSighting(
  state: CertificateState,
  { locationKey, slotMs, facts }: Sighting,
): { state: CertificateState; news: SightingNews } {
  const before = state.views[locationKey];
  const none = { isObserved: false, previousFingerprintSha256: undefined };
  if (before && before.slotMs > slotMs) return { state, news: none };
  const { fingerprintSha256 } = facts;
  const view = { fingerprintSha256, validToMs: Date.parse(facts.validTo), slotMs };
  const after = { views: { ...state.views, [locationKey]: view }, warned: state.warned };
  const isKnown = Object.values(state.views).some((other) => other.fingerprintSha256 === fingerprintSha256);
  if (isKnown) return { state: forgetUnseen(after), news: none };
  return {
    state: forgetUnseen(after),
    news: { isObserved: true, previousFingerprintSha256: before?.fingerprintSha256 },
  };
}

/** Warnings of certificates that no location sees any more. */
function forgetUnseen({ views, warned }: CertificateState): CertificateState {
  const seen = new Set(Object.values(views).map(({ fingerprintSha256 }) => fingerprintSha256));
  return { views, warned: Object.fromEntries(Object.entries(warned).filter(([of]) => seen.has(of))) };
}

/** When the next threshold of any certificate in sight is crossed, Unix ms; null when all were told. */
export function nextWarningAtMs({ views, warned }: CertificateState): number | null {
  const instants = Object.values(views).flatMap(({ fingerprintSha256, validToMs }) => {
    const told = warned[fingerprintSha256] ?? Number.POSITIVE_INFINITY;
    const next = WARNING_THRESHOLDS_DAYS.find((days) => days < told);
    return next === undefined ? [] : [validToMs - next * DAY_MS];
  });
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

/** The warnings that are due: per certificate the smallest threshold crossed, unless it was told. */
export function takeWarnings(
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

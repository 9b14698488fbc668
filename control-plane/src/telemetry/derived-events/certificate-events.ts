/** Definitions of the events of certificates. */
import type { LocationId, RunId } from "@svc/contract";
import { ATTR } from "../records/attributes.ts";
import { defineDerivedEvent } from "./define-derived-event.ts";

/** Values of the run that saw a certificate. */
type RunValues = {
  runId?: RunId;
  locationId?: LocationId | undefined;
  locationName?: string | undefined;
  checkStatus?: string;
};

const RUN_ATTRIBUTES = {
  runId: ATTR.runId,
  locationId: ATTR.locationId,
  locationName: ATTR.locationName,
  checkStatus: ATTR.checkStatus,
};

/** Values of a certificate that a run saw. */
export type CertificateValues = RunValues & {
  host: string;
  sha256: string;
  issuer: string;
  subject: string;
  notBefore: string;
  notAfter: string;
  protocolName: string | undefined;
  protocolVersion: string | null | undefined;
  cipher: string | null | undefined;
  isTrusted: boolean;
  isSelfSigned: boolean;
};

const CERTIFICATE_ATTRIBUTES = {
  ...RUN_ATTRIBUTES,
  host: ATTR.serverAddress,
  sha256: ATTR.tlsSha256,
  issuer: ATTR.tlsIssuer,
  subject: ATTR.tlsSubject,
  notBefore: ATTR.tlsNotBefore,
  notAfter: ATTR.tlsNotAfter,
  protocolName: ATTR.tlsProtocolName,
  protocolVersion: ATTR.tlsProtocolVersion,
  cipher: ATTR.tlsCipher,
  isTrusted: ATTR.tlsIsTrusted,
  isSelfSigned: ATTR.tlsIsSelfSigned,
};

/** Recorded when a check sees a certificate that none of its locations had seen before. */
export const certificateObserved = defineDerivedEvent<CertificateValues>({
  type: "synthetics.tls.certificate_observed",
  attributes: CERTIFICATE_ATTRIBUTES,
  summary: ({ host, notAfter }) => `${host}: certificate valid until ${notAfter}`,
});

/** Recorded when such a certificate took the place of another one at the location that saw it. */
export const certificateChanged = defineDerivedEvent<CertificateValues & { previousSha256: string }>({
  type: "synthetics.tls.certificate_changed",
  attributes: { ...CERTIFICATE_ATTRIBUTES, previousSha256: ATTR.tlsPreviousSha256 },
  summary: ({ host, notAfter }) => `${host}: another certificate, valid until ${notAfter}`,
});

type ExpiryValues = RunValues & {
  host: string;
  sha256: string;
  notAfter: string;
  daysLeft: number;
  thresholdDays: number;
};

/** Recorded when a certificate passes a threshold of days before its expiry. */
export const certificateExpiringSoon = defineDerivedEvent<ExpiryValues>({
  type: "synthetics.tls.expiring_soon",
  attributes: {
    ...RUN_ATTRIBUTES,
    host: ATTR.serverAddress,
    sha256: ATTR.tlsSha256,
    notAfter: ATTR.tlsNotAfter,
    daysLeft: ATTR.tlsDaysLeft,
    thresholdDays: ATTR.tlsThresholdDays,
  },
  summary: ({ host, notAfter, daysLeft }) =>
    Number(daysLeft) < 0
      ? `${host}: certificate expired at ${notAfter}`
      : `${host}: certificate expires in ${daysLeft} days`,
});

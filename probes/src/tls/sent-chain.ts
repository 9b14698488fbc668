/** The certificates that a server sent, as a TLS check shows them. */
import type { X509Certificate } from "node:crypto";
import type { ResultDetail } from "@svc/contract";
import { storableText } from "../base/storable-text.ts";
import { instantOf, oneLine } from "../connection/tls-facts.ts";

/** One certificate of a chain. */
export type SentCertificate = NonNullable<ResultDetail["tlsJson"]>["chain"][number];

/** Most certificates of a chain that are looked at. */
const CERTIFICATES_MAX = 10;
/** Longest name that is shown, characters. */
const NAME_CHARACTERS_MAX = 500;

/** Returns the certificates that the server sent, its own first; one that a name of its own refers back to ends the chain. */
export function sentChain(own: X509Certificate | undefined): SentCertificate[] {
  const chain: SentCertificate[] = [];
  const seen = new Set<string>();
  let certificate = own;
  while (certificate && chain.length < CERTIFICATES_MAX && !seen.has(certificate.fingerprint256)) {
    seen.add(certificate.fingerprint256);
    chain.push({
      subject: shownName(certificate.subject),
      issuer: shownName(certificate.issuer),
      validFrom: instantOf(certificate.validFrom),
      validTo: instantOf(certificate.validTo),
      fingerprintSha256: certificate.fingerprint256,
    });
    certificate = certificate.issuerCertificate;
  }
  return chain;
}

function shownName(name: string | undefined): string {
  return storableText(oneLine(name).slice(0, NAME_CHARACTERS_MAX));
}

/**
 * TLS settings of outgoing connections. To make a SecureContext costs half a handshake, so all runs with one set of
 * certificates share one. It keeps no sessions, so every run still does a full handshake.
 */
import { readFileSync } from "node:fs";
import tls from "node:tls";

/** X25519 comes first: it is the cheapest key share, and no Node version sends another along. */
const CURVES = "X25519:P-256:P-384:P-521";
/** The cheapest cipher of TLS 1.3 comes first, as in browsers; the others stay as Node has them. */
const CIPHERS = `TLS_AES_128_GCM_SHA256:${tls.DEFAULT_CIPHERS}`;
/** OpenSSL 3 speaks TLS 1.0 and 1.1 only at security level 0. */
const LEGACY_CIPHERS = "DEFAULT@SECLEVEL=0";

const contexts = new Map<string, tls.SecureContext>();

/** The certificates of one side. */
export interface TlsCredentials {
  /** PEM certificates trusted beside the built-in ones and those of NODE_EXTRA_CA_CERTS. */
  caCertificates: readonly string[];
}

/** Returns the context for a set of certificates and versions of TLS. @param isLegacy also speaks TLS 1.0 and 1.1 */
export function tlsContext({ caCertificates }: TlsCredentials, isLegacy: boolean): tls.SecureContext {
  const key = `${isLegacy} ${caCertificates.join("\n")}`;
  let context = contexts.get(key);
  if (!context) {
    context = tls.createSecureContext({
      ecdhCurve: CURVES,
      minVersion: isLegacy ? "TLSv1" : "TLSv1.2",
      ciphers: isLegacy ? LEGACY_CIPHERS : CIPHERS,
      // Without `ca` Node trusts its own list and NODE_EXTRA_CA_CERTS. With it, both have to be listed.
      ...(caCertificates.length > 0
        ? { ca: [...tls.rootCertificates, ...extraCertificates(), ...caCertificates] }
        : {}),
    });
    contexts.set(key, context);
  }
  return context;
}

function extraCertificates(): string[] {
  const path = process.env.NODE_EXTRA_CA_CERTS;
  if (!path) return [];
  try {
    return [readFileSync(path, "utf8")];
  } catch {
    return []; // Node has warned about it at start
  }
}

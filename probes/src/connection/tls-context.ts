/**
 * TLS settings of outgoing connections. To make a SecureContext costs half a handshake, so all runs with one set of
 * certificates share one. It keeps no sessions, so every run still does a full handshake.
 */
import { readFileSync } from "node:fs";
import tls from "node:tls";
import { TargetFailure } from "../run/failures.ts";

/** X25519 comes first: it is the cheapest key share, and no Node version sends another along. */
const CURVES = "X25519:P-256:P-384:P-521";
/** The cheapest cipher of TLS 1.3 comes first, as in browsers; the others stay as Node has them. */
const CIPHERS = `TLS_AES_128_GCM_SHA256:${tls.DEFAULT_CIPHERS}`;
/** OpenSSL 3 speaks TLS 1.0 and 1.1 only at security level 0. */
const LEGACY_CIPHERS = "DEFAULT@SECLEVEL=0";

/** Most contexts that are kept: one for each set of certificates of a check. Each takes some hundred KiB beside Node's own authorities. */
const CONTEXTS_MAX = 200;
/** Most of those that hold the public authorities once more, which takes some MiB each. */
const CONTEXTS_WITH_PUBLIC_MAX = 20;

const contexts = new Map<string, tls.SecureContext>();
const contextsWithPublic = new Map<string, tls.SecureContext>();

/** The certificates of a connection's own side. */
export interface TlsCredentials {
  /** PEM certificates trusted beside the built-in ones and those of NODE_EXTRA_CA_CERTS. */
  caCertificates: readonly string[];
  /** PEM certificates trusted in the place of all others, or beside them. */
  ownAuthorities?: string | undefined;
  trustsPublicToo?: boolean | undefined;
  /** PEM certificate shown to the server, and its key. */
  clientCertificate?: string | undefined;
  clientKey?: string | undefined;
}

/**
 * Returns the context for a set of certificates and versions of TLS.
 * @param isLegacy true: TLS 1.0 and 1.1 are spoken, too
 * @throws TargetFailure when the certificates or the key can't be used
 */
export function tlsContext(credentials: TlsCredentials, isLegacy: boolean): tls.SecureContext {
  const { caCertificates, ownAuthorities, trustsPublicToo, clientCertificate, clientKey } = credentials;
  const parts = [...caCertificates, ownAuthorities, clientCertificate, clientKey];
  const key = `${isLegacy} ${trustsPublicToo === true} ${parts.join("\n")}`;
  const isLarge = trustsPublicToo === true && ownAuthorities !== undefined;
  const [kept, keptMax] = isLarge ? [contextsWithPublic, CONTEXTS_WITH_PUBLIC_MAX] : [contexts, CONTEXTS_MAX];
  let context = kept.get(key);
  if (!context) {
    context = createContext(credentials, isLegacy);
    if (kept.size >= keptMax) kept.delete(kept.keys().next().value as string);
    kept.set(key, context);
  }
  return context;
}

function createContext(credentials: TlsCredentials, isLegacy: boolean): tls.SecureContext {
  const { ownAuthorities, clientCertificate, clientKey } = credentials;
  const ca = trustedBy(credentials);
  try {
    return tls.createSecureContext({
      ecdhCurve: CURVES,
      minVersion: isLegacy ? "TLSv1" : "TLSv1.2",
      ciphers: isLegacy ? LEGACY_CIPHERS : CIPHERS,
      ...(ca ? { ca } : {}),
      ...(clientCertificate === undefined ? {} : { cert: clientCertificate, key: clientKey }),
    });
  } catch (error) {
    if (ownAuthorities === undefined && clientCertificate === undefined) throw error;
    throw new TargetFailure(
      {
        status: "error",
        category: "tls",
        message: `the check's certificates or its key can't be used: ${(error as Error).message}`,
      },
      { cause: error },
    );
  }
}

/** Returns the authorities that are trusted; undefined: those that Node trusts by itself. */
function trustedBy({
  caCertificates,
  ownAuthorities,
  trustsPublicToo,
}: TlsCredentials): string[] | undefined {
  if (ownAuthorities !== undefined && !trustsPublicToo) return [ownAuthorities];
  const more = [...caCertificates, ...(ownAuthorities === undefined ? [] : [ownAuthorities])];
  // Without `ca` Node trusts its own list and NODE_EXTRA_CA_CERTS. With it, both have to be listed.
  return more.length > 0 ? [...tls.rootCertificates, ...extraCertificates(), ...more] : undefined;
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

/** Converts TLS facts to the forms of OpenTelemetry's semantic conventions. Pure. */

/** Returns the fingerprint as upper-case hex without colons. */
export function certificateHash(fingerprintSha256: string): string {
  return fingerprintSha256.replaceAll(":", "").toUpperCase();
}

/** Splits `TLSv1.3` into the name `tls` and the version `1.3`. Any other text is the version, without a name. */
export function tlsProtocolOf(protocol: string | null | undefined): {
  name: string | undefined;
  version: string | null | undefined;
} {
  const [, name, version] = /^(tls|ssl)v?([0-9.]+)$/i.exec(protocol ?? "") ?? [];
  return { name: name?.toLowerCase(), version: version ?? protocol };
}

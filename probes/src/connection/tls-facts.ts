/** The facts about a server's certificate and its connection, as an https connection shows them. */
import type { X509Certificate } from "node:crypto";
import net from "node:net";
import type { TLSSocket } from "node:tls";
import type { TlsFacts } from "@svc/contract";
import { BoundedFacts } from "./bounded-facts.ts";

/**
 * The facts of recent certificates. To read a certificate's fields costs as much as a small request, and most runs
 * see the certificate of the run before.
 */
const cache = new BoundedFacts<TlsFacts>({ entriesMax: 5_000, bytesMax: 16 * 1024 * 1024 });

/**
 * Returns the facts of a connection after its handshake; the identical object as long as nothing differs.
 * @param about.host the name or address that the certificate has to be for
 * @param about.chainError code of the problem with the chain or its validity; undefined when there is none
 */
export function tlsFactsOf(
  socket: Pick<TLSSocket, "getProtocol" | "getCipher">,
  certificate: X509Certificate,
  { host, chainError }: { host: string; chainError: string | undefined },
): TlsFacts {
  const protocol = socket.getProtocol() ?? "unknown";
  const cipher = socket.getCipher().name;
  const key = `${certificate.fingerprint256} ${host} ${protocol} ${cipher} ${chainError ?? ""}`;
  const known = cache.find(key);
  if (known) return known;
  const trustError = chainError ?? (isFor(certificate, host) ? undefined : "ERR_TLS_CERT_ALTNAME_INVALID");
  const facts: TlsFacts = {
    host,
    fingerprintSha256: certificate.fingerprint256,
    issuer: oneLine(certificate.issuer),
    subject: oneLine(certificate.subject),
    subjectAltNames: subjectAltNames(certificate.subjectAltName),
    validFrom: instantOf(certificate.validFrom),
    validTo: instantOf(certificate.validTo),
    isTrusted: trustError === undefined,
    ...(trustError === undefined ? {} : { trustError }),
    isSelfSigned: isSelfSigned(certificate),
    protocol,
    cipher,
  };
  cache.keep(key, facts);
  return facts;
}

function isFor(certificate: X509Certificate, host: string): boolean {
  return (net.isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.issuer === certificate.subject && certificate.checkIssued(certificate);
}

/**
 * Returns a certificate's date in ISO form. A date that OpenSSL could not read counts as the epoch: as a start it
 * excludes nothing, as an end it has expired.
 */
export function instantOf(text: string): string {
  const ms = Date.parse(text);
  return new Date(Number.isNaN(ms) ? 0 : ms).toISOString();
}

/** Returns a name on one line; OpenSSL puts each attribute on a line of its own. */
export function oneLine(name: string | undefined): string {
  return (name ?? "").split("\n").join(", ");
}

/**
 * Returns the names in Node's text form, `DNS:a.example, IP Address:192.0.2.1`. Values with special characters are
 * JSON strings in there.
 */
function subjectAltNames(text: string | undefined): string[] {
  const names: string[] = [];
  for (const entry of text ? splitOutsideQuotes(text) : []) {
    const value = entry.slice(entry.indexOf(":") + 1);
    names.push(value.startsWith('"') ? unquoted(value) : value);
  }
  return names;
}

function unquoted(value: string): string {
  try {
    return String(JSON.parse(value));
  } catch {
    return value;
  }
}

function splitOutsideQuotes(text: string): string[] {
  const entries: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (isQuoted && text[at] === "\\") at++;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === "," && !isQuoted) {
      entries.push(text.slice(start, at));
      start = at + 1;
      while (text[start] === " ") start++;
    }
  }
  entries.push(text.slice(start));
  return entries;
}

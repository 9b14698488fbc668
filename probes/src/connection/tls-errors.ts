/** Puts TLS errors into words, by OpenSSL's reason codes. */
import type { TlsFacts } from "@svc/contract";
import { codeOf } from "../run/failures.ts";

/** True when the server wants an application protocol that was not offered. For an https URL that is HTTP/2. */
export function isNoCommonAlpn(error: unknown): boolean {
  return codeOf(error) === "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL";
}

/** True when the server speaks nothing newer than TLS 1.1. */
export function isProtocolTooOld(error: unknown): boolean {
  const code = codeOf(error);
  return code === "ERR_SSL_UNSUPPORTED_PROTOCOL" || code === "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION";
}

/** Returns what went wrong in a handshake, with a hint where to look. */
export function describeTlsError(error: unknown): string {
  const code = codeOf(error);
  switch (code) {
    case "ECONNRESET":
    case "EPIPE":
      return "the server closed the connection during the handshake";
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return `the server does not answer with TLS on this port (${code}); is it an http:// service?`;
    case "ERR_SSL_UNSUPPORTED_PROTOCOL":
    case "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION":
      return `no TLS version in common, from TLS 1.0 to 1.3 (${code})`;
    case "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE":
    case "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE":
      return `the server refused the handshake: no cipher in common, or it wants a client certificate (${code})`;
    case "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED":
      return `the server wants a client certificate (${code})`;
    case "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA":
    case "ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE":
    case "ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE":
    case "ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN":
    case "ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_UNKNOWN":
      return `the server does not accept the client certificate (${code})`;
    case "ERR_SSL_TLSV1_UNRECOGNIZED_NAME":
    case "ERR_SSL_TLSV1_ALERT_UNRECOGNIZED_NAME":
      return `the server has no site of this name (${code})`;
    case "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL":
      return `the server speaks neither HTTP/1.1 nor HTTP/2 (${code})`;
    default: {
      const reason = (error as { reason?: unknown }).reason;
      const words = typeof reason === "string" ? reason : (error as Error).message;
      return code ? `${words} (${code})` : words;
    }
  }
}

/** Returns why a certificate is not trusted, with the facts that show it. */
export function trustMessage(host: string, trustError: string, facts: TlsFacts | undefined): string {
  const about = `the certificate of ${host}`;
  switch (trustError) {
    case "CERT_HAS_EXPIRED":
      return `${about} expired: it was valid until ${facts?.validTo ?? "an earlier date"} (${trustError})`;
    case "CERT_NOT_YET_VALID":
      return `${about} is not valid yet: it is valid from ${facts?.validFrom ?? "a later date"} (${trustError})`;
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `${about} is for another host: it names ${nameList(facts)} (${trustError})`;
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
      return `${about} is self-signed (${trustError}); if that is intended, trust it by caCertificates of the check, or by NODE_EXTRA_CA_CERTS on the runner`;
    case "SELF_SIGNED_CERT_IN_CHAIN":
      return `${about} leads to a root that is not trusted (${trustError}); if that is intended, trust it by caCertificates of the check, or by NODE_EXTRA_CA_CERTS on the runner`;
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_GET_ISSUER_CERT":
      return `${about} is issued by "${facts?.issuer ?? "an unknown issuer"}", which is not trusted or whose intermediate certificate the server does not send (${trustError}); a private authority is trusted by caCertificates of the check`;
    case "NO_CERTIFICATE":
      return `${host} showed no certificate`;
    default:
      return `${about} is not trusted (${trustError})`;
  }
}

function nameList(facts: TlsFacts | undefined): string {
  const names = facts?.subjectAltNames ?? [];
  if (names.length === 0) return facts?.subject || "no host";
  const shown = names.slice(0, 5).join(", ");
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown;
}

/** TLS facts as OpenTelemetry's semantic conventions write them. Pure. */
import type { EventAttributes } from "../derived-event-store.ts";
import { ATTR } from "./attributes.ts";

/** Upper-case hex without colons. */
export function certificateHash(fingerprintSha256: string): string {
  return fingerprintSha256.replaceAll(":", "").toUpperCase();
}

/** `TLSv1.3` is version 1.3 of tls; anything else is shown as it is. */
export function protocolAttributes(protocol: string | null | undefined): EventAttributes {
  const [, name, version] = /^(tls|ssl)v?([0-9.]+)$/i.exec(protocol ?? "") ?? [];
  return {
    [ATTR.tlsProtocolName]: name?.toLowerCase(),
    [ATTR.tlsProtocolVersion]: version ?? protocol,
  };
}

/** The side of the proxy that stands for targets towards a browser, where it speaks TLS with the targets itself. */
import { webcrypto } from "node:crypto";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import { DAY_MS } from "@svc/contract";
import { wallMs } from "../../base/machine-clocks.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** First byte of a TLS handshake (RFC 8446, 5.1). */
const TLS_HANDSHAKE = 0x16;

/** The certificate of one proxy, which is made when it is first needed. */
export class StandIn {
  #secureContext: Promise<tls.SecureContext> | undefined;

  /**
   * Begins the server's side of the handshake with a browser.
   * @param protocols the application protocols (ALPN) that are spoken, the preferred one first
   */
  async secure(browserSide: Duplex, protocols: readonly ("http/1.1" | "h2")[]): Promise<tls.TLSSocket> {
    this.#secureContext ??= makeCertificate().then((pair) => tls.createSecureContext(pair));
    const secured = new tls.TLSSocket(browserSide as never, {
      isServer: true,
      secureContext: await this.#secureContext,
      ALPNProtocols: [...protocols],
    });
    secured.on("error", () => browserSide.destroy());
    return secured;
  }
}

/**
 * Makes a key and a certificate that names nobody. The browser of such a run is made to accept every certificate, since the
 * proxy alone judges those of the targets.
 */
async function makeCertificate(): Promise<{ key: string; cert: string }> {
  // The library is large, and few runs need it.
  const x509 = await import("@peculiar/x509");
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=svc-runner",
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(wallMs() - DAY_MS),
    notAfter: new Date(wallMs() + 365 * DAY_MS),
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`;
  return { key, cert: certificate.toString("pem") };
}

/** Returns how a browser begins to speak in a tunnel; undefined when the tunnel ends before. */
export async function openingOf(browserSide: Duplex): Promise<"tls" | "plain" | undefined> {
  const first = await firstByteOf(browserSide);
  return first === undefined ? undefined : first === TLS_HANDSHAKE ? "tls" : "plain";
}

async function firstByteOf(socket: Duplex): Promise<number | undefined> {
  for (;;) {
    const chunk: Buffer | null = socket.read();
    if (chunk !== null) {
      socket.unshift(chunk);
      return chunk[0];
    }
    if (socket.destroyed || socket.readableEnded) return undefined;
    const ended = new AbortController();
    const { signal } = ended;
    await Promise.race([once(socket, "readable", { signal }), once(socket, "close", { signal })])
      .catch(() => socket.destroy())
      .finally(() => ended.abort());
  }
}

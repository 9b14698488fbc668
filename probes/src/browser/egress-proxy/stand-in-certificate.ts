/** The certificate with which the proxy stands for targets towards the browser of a run with limits. */
import { webcrypto } from "node:crypto";
import { DAY_MS } from "@svc/contract";
import { wallMs } from "../../base/machine-clocks.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Makes a key and a certificate that names nobody. The browser of such a run is made to accept every certificate, since the
 * proxy alone judges those of the targets.
 */
export async function makeStandInCertificate(): Promise<{ key: string; cert: string }> {
  // It is seldom needed, and large.
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

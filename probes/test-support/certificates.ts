/** Certificates made at test time, so that none of them expires in the repository. */
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { DAY_MS } from "@svc/contract";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

export interface Authority {
  /** PEM of the root. */
  certificate: string;
  issue(leaf?: LeafOptions): Promise<KeyPair>;
}

export interface LeafOptions {
  /** DNS names and IP addresses; default `localhost` and 127.0.0.1. */
  names?: string[];
  /** Days from now. */
  validFromDays?: number;
  validToDays?: number;
}

/** PEM texts as node:tls takes them. */
export interface KeyPair {
  key: string;
  cert: string;
}

/** A certificate authority of its own, that nothing trusts yet. */
export async function anAuthority(name = "Test Root"): Promise<Authority> {
  const keys = await newKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    notBefore: daysFromNow(-1),
    notAfter: daysFromNow(30),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    certificate: root.toString("pem"),
    async issue(leaf = {}) {
      const leafKeys = await newKeys();
      const certificate = await x509.X509CertificateGenerator.create({
        ...leafFields(leaf),
        issuer: root.subject,
        publicKey: leafKeys.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: ALGORITHM,
      });
      return { cert: certificate.toString("pem"), key: await pemOf(leafKeys.privateKey) };
    },
  };
}

/** A certificate that vouches for itself. */
export async function aSelfSigned(leaf: LeafOptions = {}): Promise<KeyPair> {
  const keys = await newKeys();
  const { subject, ...fields } = leafFields(leaf);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...fields,
    name: subject,
    keys,
    signingAlgorithm: ALGORITHM,
  });
  return { cert: certificate.toString("pem"), key: await pemOf(keys.privateKey) };
}

function leafFields({
  names = ["localhost", "127.0.0.1"],
  validFromDays = -1,
  validToDays = 30,
}: LeafOptions) {
  const alternatives = names.map((name) => ({
    type: /^[\d.]+$|:/.test(name) ? ("ip" as const) : ("dns" as const),
    value: name,
  }));
  return {
    subject: `CN=${names[0]}`,
    notBefore: daysFromNow(validFromDays),
    notAfter: daysFromNow(validToDays),
    extensions: [new x509.SubjectAlternativeNameExtension(alternatives)],
  };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return (await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key));
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
}

function daysFromNow(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}

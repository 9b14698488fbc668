import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { certificateProblems, foreignKeyProblem } from "./certificates.ts";

interface Pair {
  cert: string;
  key: string;
}

let folder: string;
let rsa: Pair;
let otherRsa: Pair;
let ec: Pair;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-certificates-"));
  const pair = (name: string, algorithm: string[]): Pair => {
    const [key, cert] = ["key", "cert"].map((end) => join(folder, `${name}.${end}`)) as [string, string];
    execFileSync(
      "openssl",
      ["req", "-x509", "-nodes", "-subj", `/CN=${name}`, "-keyout", key, "-out", cert, ...algorithm],
      { stdio: "ignore" },
    );
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  };
  rsa = pair("rsa", ["-newkey", "rsa:2048"]);
  otherRsa = pair("other", ["-newkey", "rsa:2048"]);
  ec = pair("ec", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const damaged = (pem: string) => pem.replace(/\n.{20}/, "\nAAAAAAAAAAAAAAAAAAAA");
const encrypted = (type: "pkcs1" | "pkcs8") =>
  generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type, format: "pem", cipher: "aes-256-cbc", passphrase: "secret" },
  }).privateKey;

describe("certificates and keys that a run can use", () => {
  it.each<[string, () => object]>([
    ["none", () => ({})],
    ["a certificate with its key", () => ({ clientCertificate: rsa.cert, clientKey: rsa.key })],
    ["one of elliptic curves", () => ({ clientCertificate: ec.cert, clientKey: ec.key })],
    [
      "a chain, the key's certificate first",
      () => ({ clientCertificate: rsa.cert + ec.cert, clientKey: rsa.key }),
    ],
    ["several authorities", () => ({ caCertificates: rsa.cert + otherRsa.cert + ec.cert })],
    [
      "comments between them",
      () => ({ caCertificates: `Bag Attributes\n${rsa.cert}# the other\n${ec.cert}` }),
    ],
    ["lines that end as on Windows", () => ({ caCertificates: rsa.cert.replaceAll("\n", "\r\n") })],
    [
      "parameters before the key",
      () => ({
        clientCertificate: ec.cert,
        clientKey: `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${ec.key}`,
      }),
    ],
    ["a key of a secret", () => ({ clientCertificate: rsa.cert, clientKey: "{{vault.KEY}}" })],
    [
      "a certificate of the environment",
      () => ({ clientCertificate: "{{secrets.CERT}}", clientKey: rsa.key }),
    ],
    ["a masked key", () => ({ clientCertificate: rsa.cert, clientKey: "***" })],
  ])("have no problems: %s", (_name, config) => {
    expect(certificateProblems(config())).toEqual([]);
  });
});

describe("certificates and keys that no run can use", () => {
  it.each<[string, () => object, string, RegExp]>([
    [
      "a key in clientCertificate",
      () => ({ clientCertificate: rsa.cert + rsa.key }),
      "clientCertificate",
      /private key.*belongs into clientKey/,
    ],
    [
      "a key in caCertificates",
      () => ({ caCertificates: rsa.key + rsa.cert }),
      "caCertificates",
      /private key.*leave it out/,
    ],
    [
      "a request",
      () => ({ caCertificates: rsa.cert.replaceAll("CERTIFICATE", "CERTIFICATE REQUEST") }),
      "caCertificates",
      /CERTIFICATE REQUEST/,
    ],
    [
      "damaged base64",
      () => ({ caCertificates: damaged(rsa.cert) }),
      "caCertificates",
      /the certificate can't be read/,
    ],
    [
      "the second of two",
      () => ({ caCertificates: rsa.cert + damaged(ec.cert) }),
      "caCertificates",
      /certificate 2 can't be read/,
    ],
    [
      "no end",
      () => ({ caCertificates: rsa.cert.replace(/-----END.*/s, "") }),
      "caCertificates",
      /has no -----END CERTIFICATE-----/,
    ],
    [
      "a word before the beginning",
      () => ({ caCertificates: `hello ${rsa.cert}` }),
      "caCertificates",
      /beginning of a line/,
    ],
    [
      "a text that is no PEM",
      () => ({ caCertificates: "hello" }),
      "caCertificates",
      /expected certificates in PEM/,
    ],
    ["a damaged key", () => ({ clientKey: damaged(rsa.key) }), "clientKey", /can't be read/],
    ["a certificate for a key", () => ({ clientKey: rsa.cert }), "clientKey", /expected a private key/],
    ["two keys", () => ({ clientKey: rsa.key + ec.key }), "clientKey", /2 private keys/],
    ["a passphrase", () => ({ clientKey: encrypted("pkcs8") }), "clientKey", /passphrase/],
    ["a passphrase of the older form", () => ({ clientKey: encrypted("pkcs1") }), "clientKey", /passphrase/],
    [
      "another key of the kind",
      () => ({ clientCertificate: rsa.cert, clientKey: otherRsa.key }),
      "clientKey",
      /^is not the key of clientCertificate$/,
    ],
    [
      "a key of another kind",
      () => ({ clientCertificate: rsa.cert, clientKey: ec.key }),
      "clientKey",
      /of the kind EC, the certificate's is RSA/,
    ],
    [
      "the chain in the wrong order",
      () => ({ clientCertificate: ec.cert + rsa.cert, clientKey: rsa.key }),
      "clientKey",
      /certificate 2/,
    ],
  ])("name the field: %s", (_name, config, field, message) => {
    expect(certificateProblems(config())).toEqual([{ field, message: expect.stringMatching(message) }]);
  });

  it("are all named, and no message shows a part of a key", () => {
    const problems = certificateProblems({
      caCertificates: rsa.key,
      clientCertificate: ec.cert + ec.key,
      clientKey: rsa.key + otherRsa.key,
    });
    expect(problems.map(({ field }) => field)).toEqual(["caCertificates", "clientCertificate", "clientKey"]);
    for (const line of (rsa.key + ec.key).split("\n").slice(1, -2))
      if (!line.startsWith("-----")) expect(JSON.stringify(problems)).not.toContain(line.slice(0, 16));
  });

  it("are read in time that grows with the text", () => {
    const startedMs = performance.now();
    certificateProblems({ caCertificates: "-----BEGIN CERTIFICATE-----".repeat(2_400) });
    certificateProblems({ caCertificates: "-----BEGIN A-----\n-----END A-----\n".repeat(1_900) });
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });
});

/** A certificate whose key is of an algorithm that nobody knows. */
function ofUnknownAlgorithm(pem: string): string {
  const hex = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ""), "base64").toString("hex");
  const changed = Buffer.from(hex.replace("2a864886f70d010101", "2a864886f70d01017f"), "hex").toString(
    "base64",
  );
  return `-----BEGIN CERTIFICATE-----\n${changed.replace(/.{64}/g, "$&\n")}\n-----END CERTIFICATE-----\n`;
}

/** A key in PKCS #8 of this algorithm with so many bytes of content, which is none. */
function keyOf(algorithm: string, bytes: number, version = "020100"): string {
  const element = (tag: string, content: string) => {
    const length = (content.length / 2).toString(16).padStart(6, "0");
    return `${tag}83${length}${content}`;
  };
  const oid = `06${(algorithm.length / 2).toString(16).padStart(2, "0")}${algorithm}`;
  const der = element("30", `${version}${element("30", oid)}${element("04", "7f".repeat(bytes))}`);
  return `-----BEGIN PRIVATE KEY-----\n${Buffer.from(der, "hex").toString("base64")}\n-----END PRIVATE KEY-----\n`;
}

const DSA = "2a8648ce380401";
const RSA = "2a864886f70d010101";

it.each([
  ["of DSA, however long", () => keyOf(DSA, 40_000)],
  [
    "of DSA that hides another algorithm in its version",
    () => keyOf(DSA, 40_000, `020b06092a864886f70d010101`),
  ],
  ["longer than any that is used", () => keyOf(RSA, 40_000)],
  ["that is none", () => keyOf(RSA, 10)],
])("a key %s is refused without being read for long", (_name, key) => {
  const startedUs = process.cpuUsage().user;
  expect(certificateProblems({ clientKey: key() })).toEqual([
    { field: "clientKey", message: expect.stringContaining("can't be read") },
  ]);
  expect(process.cpuUsage().user - startedUs).toBeLessThan(1_000_000);
});

it("a certificate of an unknown algorithm fits no key, and is no crash", () => {
  const config = { clientCertificate: ofUnknownAlgorithm(rsa.cert), clientKey: rsa.key };
  expect(certificateProblems(config)).toEqual([
    { field: "clientKey", message: expect.stringContaining("is not the key of clientCertificate") },
  ]);
  expect(foreignKeyProblem(config)).toContain("is not the key of clientCertificate");
});

describe("before a run", () => {
  it.each<[string, () => object]>([
    ["a key and its certificate", () => ({ clientCertificate: rsa.cert, clientKey: rsa.key })],
    [
      "both in one text, given twice",
      () => ({ clientCertificate: rsa.cert + rsa.key, clientKey: rsa.cert + rsa.key }),
    ],
    [
      "two keys, of which the first fits",
      () => ({ clientCertificate: rsa.cert, clientKey: rsa.key + ec.key }),
    ],
    [
      "authorities with a block of another kind",
      () => ({ caCertificates: `${rsa.cert}-----BEGIN X-----\nAA==\n-----END X-----` }),
    ],
    ["what TLS refuses itself", () => ({ clientCertificate: "none", clientKey: "none" })],
    ["no certificate", () => ({})],
  ])("%s is let by", (_name, config) => expect(foreignKeyProblem(config())).toBeUndefined());

  it.each<[string, () => object, RegExp]>([
    ["another key", () => ({ clientCertificate: rsa.cert, clientKey: otherRsa.key }), /is not the key of/],
    [
      "a key of another algorithm",
      () => ({ clientCertificate: rsa.cert, clientKey: ec.key }),
      /is not the key of/,
    ],
    [
      "a key whose reading takes long",
      () => ({ clientCertificate: rsa.cert, clientKey: keyOf(DSA, 40_000) }),
      /can't be read/,
    ],
  ])("%s is refused", (_name, config, message) => expect(foreignKeyProblem(config())).toMatch(message));
});

/**
 * Reads the certificates and the key of a check, as OpenSSL does when a run needs them, so that what no run could use is refused where
 * it is written. For Node.js only, and so an entry of its own: the rest of the package runs in browsers, too. Pure.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { excerpt } from "./base/text.ts";

/** A field that holds what can't be used, and why. */
export interface CertificateProblem {
  field: "caCertificates" | "clientCertificate" | "clientKey";
  message: string;
}

interface PemBlock {
  label: string;
  /** The block with its first and last line. */
  text: string;
  /** True when it begins where a line does: OpenSSL reads no other. */
  isOnOwnLine: boolean;
}

type Fields = Readonly<Partial<Record<CertificateProblem["field"], unknown>>>;

/**
 * Returns the problems of a configuration's certificates and key: blocks that can't be read, private keys where others see them, keys
 * with a passphrase, a key that is not the certificate's. Texts that are not known yet (references to secrets, masked values) have
 * none: these are read when they are filled in.
 */
export function certificateProblems(config: Fields): CertificateProblem[] {
  const problems = (["caCertificates", "clientCertificate"] as const).flatMap((field) => {
    const text = knownText(config[field]);
    const message = text === undefined ? undefined : certificatesProblem(text, field);
    return message === undefined ? [] : [{ field, message }];
  });
  const keyText = knownText(config.clientKey);
  if (keyText === undefined) return problems;
  const key = privateKeyOf(keyText);
  const certificates = problems.some(({ field }) => field === "clientCertificate")
    ? undefined
    : knownText(config.clientCertificate);
  const message =
    typeof key === "string" ? key : certificates === undefined ? undefined : mismatchOf(key, certificates);
  return message === undefined ? problems : [...problems, { field: "clientKey", message }];
}

/** Returns the text of a field; undefined where there is none, or where a part of it is filled in later. */
function knownText(value: unknown): string | undefined {
  return typeof value === "string" && !value.includes("{{") && !value.includes("***") ? value : undefined;
}

function certificatesProblem(text: string, field: string): string | undefined {
  const blocks = blocksOf(text);
  if (typeof blocks === "string") return blocks;
  if (blocks.length === 0) return "expected certificates in PEM: -----BEGIN CERTIFICATE-----";
  for (const [at, { label, text: block, isOnOwnLine }] of blocks.entries()) {
    const which = blocks.length === 1 ? "the certificate" : `certificate ${at + 1}`;
    if (label.includes("PRIVATE KEY"))
      return `holds a private key, which everyone who sees the check would see: ${field === "clientCertificate" ? "it belongs into clientKey" : "leave it out"}`;
    if (!/^(?:X509 |TRUSTED )?CERTIFICATE$/.test(label))
      return `holds a block of the kind "${excerpt(label)}"; expected certificates only`;
    if (!isOnOwnLine) return `-----BEGIN of ${which} has to be at the beginning of a line`;
    if (readOrNothing(() => new X509Certificate(block)) === undefined)
      return `${which} can't be read: it is damaged or incomplete`;
  }
  return undefined;
}

/** Returns the private key of a text, or why it has none that can be used. */
function privateKeyOf(text: string): KeyObject | string {
  const blocks = blocksOf(text);
  if (typeof blocks === "string") return blocks;
  const keys = blocks.filter(({ label }) => label.endsWith("PRIVATE KEY"));
  const [block] = keys;
  if (block === undefined) return "expected a private key in PEM: -----BEGIN PRIVATE KEY-----";
  if (keys.length > 1) return `holds ${keys.length} private keys; expected one`;
  if (isEncrypted(block)) return "the private key has a passphrase; give it without one";
  if (!block.isOnOwnLine) return "-----BEGIN of the private key has to be at the beginning of a line";
  const key = isOfKnownKind(block) ? readOrNothing(() => createPrivateKey(block.text)) : undefined;
  return key ?? CANT_BE_READ;
}

/**
 * Returns why no run may use the key of a configuration, whose texts are all filled in; undefined: it may, or TLS itself says why not.
 * Looks at the first certificate and the first key only, as OpenSSL does, so that what it takes is not refused.
 */
export function foreignKeyProblem(config: Fields): string | undefined {
  const [keyBlocks, certificateBlocks] = [config.clientKey, config.clientCertificate].map((text) =>
    typeof text === "string" ? blocksOf(text) : [],
  );
  if (!Array.isArray(keyBlocks) || !Array.isArray(certificateBlocks)) return undefined;
  const keyBlock = keyBlocks.find(({ label }) => label.endsWith("PRIVATE KEY"));
  if (keyBlock === undefined || isEncrypted(keyBlock)) return undefined;
  if (!isOfKnownKind(keyBlock)) return `clientKey: ${CANT_BE_READ}`;
  const certificateBlock = certificateBlocks.find(({ label }) => label.endsWith("CERTIFICATE"));
  const key = readOrNothing(() => createPrivateKey(keyBlock.text));
  const certificate = certificateBlock && readOrNothing(() => new X509Certificate(certificateBlock.text));
  if (key === undefined || certificate === undefined || isKeyOf(key, certificate)) return undefined;
  return "clientKey: is not the key of clientCertificate";
}

const CANT_BE_READ =
  "the private key can't be read: it is damaged, incomplete or of a kind that is not supported (RSA, EC and Ed25519 are)";

/** Longest key that is read, bytes: one of RSA with 16,384 bits has 9,300. */
const KEY_BYTES_MAX = 16 * 1024;

/** Object identifiers of the algorithms whose keys are read, as DER has them: RSA, RSA-PSS, EC, Ed25519, Ed448. */
const KEY_ALGORITHMS: ReadonlySet<string> = new Set([
  "2a864886f70d010101",
  "2a864886f70d01010a",
  "2a8648ce3d0201",
  "2b6570",
  "2b6571",
]);

/**
 * True for a key whose reading takes no time beyond its size: to read one of DSA or DH, OpenSSL computes a power of any length, minutes
 * for one of 64 KiB.
 */
function isOfKnownKind({ label, text }: PemBlock): boolean {
  const body = text.slice(text.indexOf("\n") + 1, text.lastIndexOf("-----END"));
  const der = Buffer.from(body, "base64");
  if (der.length > KEY_BYTES_MAX) return false;
  if (label === "RSA PRIVATE KEY" || label === "EC PRIVATE KEY") return true;
  return label === "PRIVATE KEY" && KEY_ALGORITHMS.has(algorithmOf(der));
}

/** Returns the object identifier of a key's algorithm (RFC 5958: a sequence of a version and a sequence that begins with it), in hex; empty: there is none. */
function algorithmOf(der: Buffer): string {
  const outer = contentOf(der, 0x30);
  const version = outer && contentOf(outer, 0x02);
  if (!outer || version?.length !== 1) return "";
  const algorithm = contentOf(outer.subarray(3), 0x30);
  return (algorithm && contentOf(algorithm, 0x06)?.toString("hex")) ?? "";
}

/** Returns the content of the DER element that bytes begin with; undefined when it has another tag. */
function contentOf(bytes: Buffer, tag: number): Buffer | undefined {
  const first = bytes[1];
  if (bytes[0] !== tag || first === undefined) return undefined;
  if (first < 0x80) return bytes.subarray(2, 2 + first);
  const lengthBytes = first - 0x80;
  if (lengthBytes < 1 || lengthBytes > 3 || bytes.length < 2 + lengthBytes) return undefined;
  const from = 2 + lengthBytes;
  return bytes.subarray(from, from + bytes.readUIntBE(2, lengthBytes));
}

function isEncrypted({ label, text }: PemBlock): boolean {
  return label === "ENCRYPTED PRIVATE KEY" || text.includes("Proc-Type: 4,ENCRYPTED");
}

/** True when the key is the certificate's; false also for a certificate of a kind that OpenSSL does not know. */
function isKeyOf(key: KeyObject, certificate: X509Certificate): boolean {
  return readOrNothing(() => certificate.checkPrivateKey(key)) ?? false;
}

/** Returns why the key is not that of the first certificate, which is the one that is shown to the server. */
function mismatchOf(key: KeyObject, text: string): string | undefined {
  const blocks = blocksOf(text);
  if (typeof blocks === "string") return undefined;
  const certificates = blocks.map((block) => new X509Certificate(block.text));
  const at = certificates.findIndex((certificate) => isKeyOf(key, certificate));
  if (at === 0) return undefined;
  if (at > 0)
    return `is the key of certificate ${at + 1} of clientCertificate; that one has to be the first there`;
  const [own, other] = [
    key.asymmetricKeyType,
    readOrNothing(() => certificates[0]?.publicKey.asymmetricKeyType) ?? "unknown",
  ].map((kind) => String(kind).toUpperCase());
  const also = own === other ? "" : `: it is of the kind ${own}, the certificate's is ${other}`;
  return `is not the key of clientCertificate${also}`;
}

/** Returns the blocks of a text in PEM, or why it is none. Text between blocks is a comment. */
function blocksOf(text: string): PemBlock[] | string {
  const blocks: PemBlock[] = [];
  for (let start = text.indexOf("-----BEGIN "); start >= 0; start = text.indexOf("-----BEGIN ", start)) {
    const labelStart = start + "-----BEGIN ".length;
    const labelEnd = text.indexOf("-----", labelStart);
    const label = text.slice(labelStart, Math.max(labelStart, labelEnd));
    const last = `-----END ${label}-----`;
    const end = labelEnd < 0 ? -1 : text.indexOf(last, labelEnd);
    // An end that is missing ends the loop, so the text is read once.
    if (end < 0) return `-----BEGIN ${excerpt(label)}----- has no ${excerpt(last)}`;
    const isOnOwnLine = start === 0 || /[\r\n]/.test(text[start - 1] as string);
    blocks.push({ label, text: `${text.slice(start, end)}${last}\n`, isOnOwnLine });
    start = end + last.length;
  }
  return blocks;
}

function readOrNothing<Read>(read: () => Read): Read | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

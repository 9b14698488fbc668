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
  if (block.label === "ENCRYPTED PRIVATE KEY" || block.text.includes("Proc-Type: 4,ENCRYPTED"))
    return "the private key has a passphrase; give it without one";
  if (!block.isOnOwnLine) return "-----BEGIN of the private key has to be at the beginning of a line";
  return (
    readOrNothing(() => createPrivateKey(block.text)) ??
    "the private key can't be read: it is damaged, incomplete or of a kind that is not supported"
  );
}

/** Returns why the key is not that of the first certificate, which is the one that is shown to the server. */
function mismatchOf(key: KeyObject, text: string): string | undefined {
  const blocks = blocksOf(text);
  if (typeof blocks === "string") return undefined;
  const certificates = blocks.map((block) => new X509Certificate(block.text));
  const at = certificates.findIndex((certificate) => certificate.checkPrivateKey(key));
  if (at === 0) return undefined;
  if (at > 0)
    return `is the key of certificate ${at + 1} of clientCertificate; that one has to be the first there`;
  const kinds = [key.asymmetricKeyType, certificates[0]?.publicKey.asymmetricKeyType].map((kind) =>
    String(kind).toUpperCase(),
  );
  const also =
    kinds[0] === kinds[1] ? "" : `: it is of the kind ${kinds[0]}, the certificate's is ${kinds[1]}`;
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

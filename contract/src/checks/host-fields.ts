/** Fields of check types that connect to a port rather than request a URL: host, port, and how TLS is spoken there. */
import * as z from "zod";
import { vaultNamesIn } from "../base/vault.ts";

const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
/** A host name of DNS, in ASCII. Underscores stand in names of services. */
const HOST_NAME =
  /^(?=.{1,253}\.?$)[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?(?:\.[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?)*\.?$/i;

/** Schema of a host: a name, or an IP address (IPv6 without brackets). */
export const hostSchema = z
  .string()
  .max(255, { error: "a host has at most 255 characters", abort: true })
  .refine(
    isHost,
    "expected a host name or an IP address, without scheme, port and path; names in ASCII (xn--...)",
  );

function isHost(text: string): boolean {
  if (text.includes(":")) return /^[\da-f:.]+$/i.test(text) && URL.canParse(`tcp://[${text}]`);
  return IPV4.test(text) ? URL.canParse(`http://${text}`) : HOST_NAME.test(text) && !isNumeric(text);
}

/** True for other spellings of an IPv4 address, such as 0x7f.1: those are a mistake more often than a wish. */
function isNumeric(name: string): boolean {
  return /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i.test(name);
}

/** Schema of a port. */
export const portSchema = z.int().min(1, "smallest is 1").max(65_535, "largest is 65535");

/** Schema of the time limit of a run that is one connection. */
export const connectionTimeoutSchema = z
  .int()
  .min(100, "smallest is 100")
  .max(60_000, "largest is 60000")
  .default(10_000)
  .describe("For the whole run.");

/** Protocols whose plain connection is asked for TLS first. */
const START_TLS_PROTOCOLS = ["smtp", "imap", "pop3", "ftp", "postgres"] as const;
/** A protocol whose plain connection is asked for TLS first. */
export type StartTlsProtocol = (typeof START_TLS_PROTOCOLS)[number];

const PEM_CHARACTERS_MAX = 65_536;

/** Schema of a text in PEM, or a reference to a secret that holds one. @param contents as the refusal names them */
function pem(label: string, contents: string) {
  return z
    .string()
    .max(PEM_CHARACTERS_MAX, `at most ${PEM_CHARACTERS_MAX} characters`)
    .refine(
      (text) =>
        (text.includes("-----BEGIN ") && text.includes(`${label}-----`) && text.includes("-----END ")) ||
        vaultNamesIn(text).length > 0,
      `expected ${contents} in PEM: -----BEGIN ...`,
    );
}

/** The certificates of a check's own side, of its authorities and of itself: fields of every check type that speaks TLS. */
export const certificateFields = {
  caCertificates: pem("CERTIFICATE", "certificates")
    .optional()
    .describe(
      "Authorities that are trusted, in the place of the public ones: one or more certificates in PEM.",
    ),
  clientCertificate: pem("CERTIFICATE", "certificates")
    .optional()
    .describe("Certificate that is shown to the server, with its chain, in PEM."),
  clientKey: pem("PRIVATE KEY", "a private key")
    .refine((text) => !text.includes("ENCRYPTED"), "the private key has a passphrase; give it without one")
    .optional()
    .describe("Private key of clientCertificate, in PEM, without passphrase."),
};

/** How TLS is spoken to a port whose connection begins with it: fields that several check types have. */
export const directTlsFields = {
  serverName: hostSchema
    .optional()
    .describe("Name that is sent (SNI) and that the certificate has to be for; default: the host."),
  ...certificateFields,
};

/** How TLS is spoken to a port: fields that several check types have. */
export const tlsFields = {
  startTls: z
    .enum(START_TLS_PROTOCOLS)
    .optional()
    .describe(
      "The connection begins in plain text and is asked for TLS as this protocol does. Absent: TLS from the first byte.",
    ),
  ...directTlsFields,
};

/** Adds an issue for a client certificate without its key, and for a key without its certificate; for `superRefine`. */
export function certificateWithKey(
  {
    clientCertificate,
    clientKey,
  }: { clientCertificate?: string | undefined; clientKey?: string | undefined },
  context: z.RefinementCtx,
): void {
  if ((clientCertificate === undefined) === (clientKey === undefined)) return;
  const [missing, given] =
    clientKey === undefined ? ["clientKey", "clientCertificate"] : ["clientCertificate", "clientKey"];
  context.addIssue({ code: "custom", path: [missing], message: `required with ${given}` });
}

/** Returns the fields of a starter monitor for the host and the port of a URL. */
export function hostOfUrl(url: string): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port),
  };
}

/** Returns the parts of `host`, `host:port`, `[IPv6]:port` or an IPv6 address alone; undefined when a text is none of them. */
export function hostAndPortOf(text: string, portDefault: number): { host: string; port: number } | undefined {
  const [, bracketed, plain = "", port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = isHost(text) ? text : (bracketed ?? plain);
  const found = { host, port: isHost(text) || port === undefined ? portDefault : Number(port) };
  return hostSchema.safeParse(found.host).success && portSchema.safeParse(found.port).success
    ? found
    : undefined;
}

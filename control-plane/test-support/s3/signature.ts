/**
 * Checks the signature of a request to S3 by the specification of AWS Signature Version 4 ("Authenticating Requests: Using the
 * Authorization Header"), with nothing of what made the signature.
 */
import { createHash, createHmac } from "node:crypto";

/** A request as it arrived; names of headers in lower case. */
export interface SignedRequest {
  method: string;
  /** Path and query as they stood in the request's first line. */
  target: string;
  headers: Readonly<Record<string, string | undefined>>;
  body: Buffer;
}

/** The account and region that the server knows. */
export interface S3Account {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  sessionToken?: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/,]+)\/(\d{8})\/([^/,]+)\/([^/,]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/;
const SKEW_MAX_MS = 15 * 60_000;

/** Returns the error code by which S3 refuses a request; undefined when it is signed as it must be. */
export function signatureFault(
  request: SignedRequest,
  account: S3Account,
  nowMs: number,
): string | undefined {
  const { headers, body } = request;
  const matched = AUTHORIZATION.exec(headers.authorization ?? "");
  if (!matched) return headers.authorization ? "AuthorizationHeaderMalformed" : "AccessDenied";
  const [, keyId, day = "", region, service, signedHeaders = "", signature] = matched;
  if (keyId !== account.accessKeyId) return "InvalidAccessKeyId";
  if (region !== account.region || service !== "s3") return "AuthorizationHeaderMalformed";
  if (headers["x-amz-security-token"] !== account.sessionToken) return "InvalidToken";
  const at = headers["x-amz-date"] ?? "";
  const atMs = Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (!at.startsWith(day) || !(Math.abs(nowMs - atMs) <= SKEW_MAX_MS)) return "RequestTimeTooSkewed";
  const signed = signedHeaders.split(";");
  const required = Object.keys(headers).filter(
    (name) => name === "host" || name === "content-type" || name.startsWith("x-amz-"),
  );
  if (required.some((name) => !signed.includes(name))) return "AccessDenied";
  if (headers["x-amz-content-sha256"] !== sha256(body)) return "XAmzContentSHA256Mismatch";
  const scope = `${day}/${region}/s3/aws4_request`;
  const canonical = canonicalRequest(request, signed);
  const toSign = ["AWS4-HMAC-SHA256", at, scope, sha256(canonical)].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<Buffer | string>(
    (from, part) => hmac(from, part),
    `AWS4${account.secretAccessKey}`,
  );
  return hmac(key, toSign).toString("hex") === signature ? undefined : "SignatureDoesNotMatch";
}

function canonicalRequest({ method, target, headers }: SignedRequest, signed: readonly string[]): string {
  const { path, query } = partsOf(target);
  return [
    method,
    path
      .split("/")
      .map((segment) => uriEncode(decodeURIComponent(segment)))
      .join("/"),
    query
      .map(([name, value]) => `${uriEncode(name)}=${uriEncode(value)}`)
      .sort()
      .join("&"),
    ...signed.map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}`),
    "",
    signed.join(";"),
    headers["x-amz-content-sha256"],
  ].join("\n");
}

/** Splits a request's target into its path, as it stood there, and the decoded parameters of its query. */
export function partsOf(target: string): { path: string; query: [string, string][] } {
  const [path = "", search = ""] = target.split("?", 2);
  const query = search.split("&").flatMap((part): [string, string][] => {
    if (part === "") return [];
    const [name = "", value = ""] = part.split("=", 2);
    return [[decodeURIComponent(name), decodeURIComponent(value)]];
  });
  return { path, query };
}

/** Encodes every byte of the UTF-8 text but A-Z, a-z, 0-9, "-", ".", "_" and "~". */
function uriEncode(text: string): string {
  return [...Buffer.from(text, "utf8")]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

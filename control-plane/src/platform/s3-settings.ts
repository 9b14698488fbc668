/** The bucket of S3-compatible storage that the operator has named, from the parsed variables. Pure. */
import * as z from "zod";

/** A bucket, and the part of it that is used, by whose server it is reached. */
export interface S3Bucket {
  /** Scheme, host and port, without a slash at the end. */
  origin: string;
  bucket: string;
  /** Begins the keys of all objects; without a slash at either end, empty for the whole bucket. */
  prefix: string;
}

/** A bucket, and the part of it that is used, and the credentials that open it. */
export interface S3Settings extends S3Bucket {
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Of temporary credentials. */
  sessionToken: string | undefined;
}

/** The variables' parsed values; undefined: not set. */
export interface S3Variables {
  statusExportS3Url?: S3Bucket | undefined;
  statusExportS3Region?: string | undefined;
  statusExportS3AccessKeyId?: string | undefined;
  statusExportS3SecretAccessKey?: string | undefined;
  statusExportS3SessionToken?: string | undefined;
}

const REGION_DEFAULT = "us-east-1";
const S3_URL_FORM = "expected https://host/bucket or https://host/bucket/prefix (or http://)";
/** Longest prefix, bytes: with the longest slug and name of a file, a key stays below the 1,024 bytes of S3. */
const PREFIX_BYTES_MAX = 512;

/** URL of a bucket in path style, with or without a prefix. */
export const s3Url = z.string().transform((given, context): S3Bucket => {
  const target = parseBucketUrl(given);
  if (!("problem" in target)) return target;
  context.addIssue(target.problem);
  return z.NEVER;
});

/** Name of a region, as it is signed. */
export const s3Region = z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "expected a region such as eu-central-1");

/** Name of a key. */
export const s3AccessKeyId = z
  .string()
  .regex(/^[!-+\-.0-~]{1,128}$/, "expected the id of a key, without spaces, commas and slashes");

/** A secret that goes with a key. */
export const s3Secret = z.string().regex(/^[!-~]+$/, "expected a secret without spaces");

/**
 * Returns the bucket that the variables name; undefined where they name none.
 * @returns `problem`: a sentence that names the variable that is missing
 */
export function s3Settings({
  statusExportS3Url: target,
  statusExportS3Region: region,
  statusExportS3AccessKeyId: accessKeyId,
  statusExportS3SecretAccessKey: secretAccessKey,
  statusExportS3SessionToken: sessionToken,
}: S3Variables): S3Settings | { problem: string } | undefined {
  if (target === undefined) {
    const names = {
      SVC_STATUS_EXPORT_S3_REGION: region,
      SVC_STATUS_EXPORT_S3_ACCESS_KEY_ID: accessKeyId,
      SVC_STATUS_EXPORT_S3_SECRET_ACCESS_KEY: secretAccessKey,
      SVC_STATUS_EXPORT_S3_SESSION_TOKEN: sessionToken,
    };
    const set = Object.entries(names).filter(([, value]) => value !== undefined);
    if (set.length === 0) return undefined;
    return { problem: `SVC_STATUS_EXPORT_S3_URL: required with ${set.map(([name]) => name).join(", ")}` };
  }
  if (accessKeyId === undefined)
    return { problem: "SVC_STATUS_EXPORT_S3_ACCESS_KEY_ID: required with SVC_STATUS_EXPORT_S3_URL" };
  if (secretAccessKey === undefined)
    return { problem: "SVC_STATUS_EXPORT_S3_SECRET_ACCESS_KEY: required with SVC_STATUS_EXPORT_S3_URL" };
  return { ...target, region: region ?? REGION_DEFAULT, accessKeyId, secretAccessKey, sessionToken };
}

function parseBucketUrl(given: string): S3Bucket | { problem: string } {
  if (!URL.canParse(given)) return { problem: S3_URL_FORM };
  const { protocol, username, password, search, hash, origin, pathname } = new URL(given);
  if (protocol !== "https:" && protocol !== "http:") return { problem: S3_URL_FORM };
  if (username || password)
    return { problem: "expected a URL without user and password; the key has variables of its own" };
  if (search || hash) return { problem: "expected a URL without ? and #" };
  const names = segmentsOf(pathname);
  if (names === undefined) return { problem: `${S3_URL_FORM}, with no part empty` };
  const [bucket = "", ...others] = names;
  if (!/^[A-Za-z0-9._-]{3,63}$/.test(bucket))
    return { problem: `${S3_URL_FORM}; a bucket's name has 3 to 63 letters, digits, dots and hyphens` };
  const prefix = others.join("/");
  if (Buffer.byteLength(prefix) > PREFIX_BYTES_MAX)
    return { problem: `the prefix is longer than ${PREFIX_BYTES_MAX} bytes` };
  return { origin, bucket, prefix };
}

/** Returns the decoded segments of a path, one slash at its end left out; undefined when one is empty, has a slash or is encoded badly. */
function segmentsOf(pathname: string): string[] | undefined {
  try {
    const segments = pathname.replace(/^\//, "").replace(/\/$/, "").split("/").map(decodeURIComponent);
    return segments.some((segment) => segment === "" || segment.includes("/")) ? undefined : segments;
  } catch {
    return undefined;
  }
}

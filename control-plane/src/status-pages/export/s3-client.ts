/** Requests to a bucket of S3-compatible storage, signed by version 4 of AWS's signatures. Neither keys nor signatures reach a message. */
import { createHash } from "node:crypto";
import { SECOND_MS } from "@svc/contract";
import { AwsV4Signer } from "aws4fetch";
import pLimit from "p-limit";
import type { Clock } from "../../platform/clock.ts";
import type { S3Settings } from "../../platform/s3-settings.ts";

/** Longest wait for the whole answer to one request, ms. */
const ANSWER_WITHIN_MS = 10 * SECOND_MS;
/** Requests of a client that are under way at once; others wait. */
const REQUESTS_AT_ONCE_MAX = 4;
/** Longest answer that is read: a list of claims with some 50,000 slugs. */
const ANSWER_BYTES_MAX = 4 * 1024 ** 2;

/** An object as it is put. */
export interface S3Object {
  text: string;
  contentType: string;
  cacheControl: string;
}

/** The bucket, and until when requests are worth their while. */
export interface S3ClientOptions {
  settings: S3Settings;
  /** Dates the signatures; servers refuse those that are some minutes off. */
  clock: Clock;
  /** Ends every request. */
  signal?: AbortSignal | undefined;
  answerWithinMs?: number;
}

interface S3Request {
  method: "GET" | "PUT" | "DELETE";
  /** Key of an object; empty: the bucket itself. */
  key: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
}

interface S3Answer {
  status: number;
  text: string;
  /** Code of an error, such as `NoSuchKey`; undefined when the answer has none. */
  code: string | undefined;
}

/** Reads and writes objects of a bucket, by their whole keys. Each method throws when the storage can't be reached or refuses. */
export class S3Client {
  readonly #options: S3ClientOptions;
  readonly #limit = pLimit(REQUESTS_AT_ONCE_MAX);

  constructor(options: S3ClientOptions) {
    this.#options = options;
  }

  /** Returns the text of an object; undefined when there is none. */
  async get(key: string): Promise<string | undefined> {
    const request: S3Request = { method: "GET", key };
    const answer = await this.#ask(request);
    if (answer.status === 404 && answer.code === "NoSuchKey") return undefined;
    return assertOk(request, answer).text;
  }

  /** Writes an object, over another of its key. */
  async put(key: string, { text, contentType, cacheControl }: S3Object): Promise<void> {
    const headers = { "content-type": contentType, "cache-control": cacheControl };
    await this.#askWell({ method: "PUT", key, headers, body: text });
  }

  /** Removes an object, if there is one. */
  async delete(key: string): Promise<void> {
    await this.#askWell({ method: "DELETE", key });
  }

  /** True when the key of any object begins with a text. */
  async hasAny(prefix: string): Promise<boolean> {
    const query = { "list-type": "2", "max-keys": "1", prefix };
    const { text } = await this.#askWell({ method: "GET", key: "", query });
    // Whoever answers something else is no S3, and has not said that the place is free.
    if (!text.includes("<ListBucketResult")) throw new Error("S3 answered no list of objects");
    return text.includes("<Contents>");
  }

  async #askWell(request: S3Request): Promise<S3Answer> {
    return assertOk(request, await this.#ask(request));
  }

  #ask(request: S3Request): Promise<S3Answer> {
    return this.#limit(() => this.#send(request));
  }

  async #send(request: S3Request): Promise<S3Answer> {
    const { settings, signal, answerWithinMs = ANSWER_WITHIN_MS } = this.#options;
    const timeout = AbortSignal.timeout(answerWithinMs);
    try {
      const { url, headers } = await this.#sign(request);
      const response = await fetch(url, {
        method: request.method,
        headers,
        ...(request.body !== undefined && { body: request.body }),
        // A redirect leads to another host or region, for which the signature does not hold.
        redirect: "manual",
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const text = await boundedText(response);
      const code = response.ok ? undefined : /<Code>(\w{1,60})<\/Code>/.exec(text)?.[1];
      return { status: response.status, text, code };
    } catch (error) {
      if (signal?.aborted) throw error;
      const reason = timeout.aborted ? `no answer within ${answerWithinMs} ms` : networkReason(error);
      throw new Error(`S3 at ${new URL(settings.origin).host} can't be used: ${reason}`, { cause: error });
    }
  }

  #sign({ method, key, query = {}, headers = {}, body = "" }: S3Request) {
    const { settings, clock } = this.#options;
    const { origin, bucket, region, accessKeyId, secretAccessKey, sessionToken } = settings;
    const path = [bucket, ...(key === "" ? [] : key.split("/"))].map(percentEncoded).join("/");
    const parameters = Object.entries(query).map(([name, value]) => `${name}=${percentEncoded(value)}`);
    return new AwsV4Signer({
      method,
      url: `${origin}/${path}${parameters.length > 0 ? `?${parameters.join("&")}` : ""}`,
      headers: { ...headers, "x-amz-content-sha256": createHash("sha256").update(body).digest("hex") },
      service: "s3",
      region,
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      datetime: new Date(clock.nowMs()).toISOString().replace(/[:-]|\.\d{3}/g, ""),
      allHeaders: true,
    }).sign();
  }
}

function assertOk({ method, key }: S3Request, answer: S3Answer): S3Answer {
  const { status, code } = answer;
  if (status >= 200 && status < 300) return answer;
  const said = code === undefined ? `${status}` : `${status} ${code}`;
  throw new Error(`S3 answered ${said} to ${method} of ${key === "" ? "the list of objects" : key}`);
}

/** Returns a text as a path's segment or a query's value, with nothing but unreserved characters left as they are (RFC 3986). */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`its answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Returns why a request failed: fetch's own message says "fetch failed", and its cause why. */
function networkReason(error: unknown): string {
  const { cause, message } = error as { cause?: NodeJS.ErrnoException; message: string };
  return cause?.code ?? cause?.message ?? message;
}

/** Exported pages in a bucket of S3-compatible storage: objects whose keys are a prefix, the slug and the name of a file. */
import { SECOND_MS } from "@svc/contract";
import { VIEW_LIFETIME_MS } from "../view/views.ts";
import { PAGE_FILE_NAMES } from "./page-files.ts";
import { CLAIMS_FILE, claimsJson, type PageStore, parseClaims } from "./page-store.ts";
import { S3Client, type S3ClientOptions } from "./s3-client.ts";

/** As long as the service's own answers. */
const CACHE_CONTROL = `public, max-age=${VIEW_LIFETIME_MS / SECOND_MS}`;

/** Returns a bucket as a store of pages. The objects of a page are each whole at any time, and may differ by one change for a moment. */
export function s3Store(options: S3ClientOptions): PageStore {
  const { origin, bucket, prefix } = options.settings;
  const client = new S3Client(options);
  const keyOf = (...names: string[]) => (prefix === "" ? names : [prefix, ...names]).join("/");
  return {
    addressOf: (slug) => `${origin}/${bucket}/${keyOf(slug)}`,
    readClaims: async () => parseClaims((await client.get(keyOf(CLAIMS_FILE))) ?? "[]"),
    writeClaims: (slugs) =>
      client.put(keyOf(CLAIMS_FILE), {
        text: claimsJson(slugs),
        contentType: "application/json; charset=utf-8",
        cacheControl: "no-store",
      }),
    claim: async (slug) => !(await client.hasAny(`${keyOf(slug)}/`)),
    write: (slug, files) =>
      allDone(
        files.map(({ name, ...file }) =>
          client.put(keyOf(slug, name), { ...file, cacheControl: CACHE_CONTROL }),
        ),
      ),
    remove: (slug) => allDone(PAGE_FILE_NAMES.map((name) => client.delete(keyOf(slug, name)))),
  };
}

/** Resolves when all of the work has ended, so that none of it goes on behind the next. @throws the first error */
async function allDone(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === "rejected");
  if (failed) throw (failed as PromiseRejectedResult).reason;
}

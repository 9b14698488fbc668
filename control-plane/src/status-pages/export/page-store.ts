/** Where exported pages stand: a folder, or a bucket of S3-compatible storage. */
import { statusSlugSchema } from "@svc/contract";
import type { PageFile } from "./page-files.ts";

/**
 * A store of exported pages, each under its slug. It may hold other things: only a place in which nothing stands is claimed, and the
 * list of claims, which the store itself keeps, says in which places pages are written and removed.
 */
export interface PageStore {
  /** Returns the address of a page in the store, for the log. */
  addressOf(slug: string): string;
  /** Returns the slugs whose places are claimed; none where nothing was written. */
  readClaims(): Promise<string[]>;
  /** Replaces the list of claims. */
  writeClaims(slugs: readonly string[]): Promise<void>;
  /** Makes a place for a page. Returns false when something else stands there. */
  claim(slug: string): Promise<boolean>;
  /** Writes the files of a page over those that were written before. */
  write(slug: string, files: readonly PageFile[]): Promise<void>;
  /** Removes the files of a page, and nothing that others put beside them. Does nothing the second time. */
  remove(slug: string): Promise<void>;
}

/** Name of the file in a store that lists the claims. */
export const CLAIMS_FILE = ".svc-status-pages.json";

/** Returns the list of claims as it is stored. */
export function claimsJson(slugs: readonly string[]): string {
  return JSON.stringify(slugs);
}

/**
 * Returns the claims of a stored list. Nothing but slugs becomes the name of something that may be removed.
 * @throws SyntaxError when the text is no JSON
 */
export function parseClaims(json: string): string[] {
  const listed: unknown = JSON.parse(json);
  return (Array.isArray(listed) ? listed : []).filter((slug) => statusSlugSchema.safeParse(slug).success);
}

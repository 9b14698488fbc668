/**
 * The API specs for the probes: knows which document each spec has now, as the assigned checks say, and loads it. A
 * document that is not available is an error and never a conformance result, so that the slot is given back.
 */
import type { ApiSpecHandle, OpenApiEngine } from "@svc/openapi";
import type { ApiSpecRef, CheckDefinition } from "../model/assignment.ts";
import type { SpecCache } from "./spec-cache.ts";
import { unpackSpec } from "./unpack-spec.ts";

/** Inputs of the source. */
export interface SpecSourceParts {
  engine: OpenApiEngine;
  cache: SpecCache;
  /** Fetches a compressed document. */
  fetch: (reference: ApiSpecRef) => Promise<Buffer>;
  /** Monotonic clock, ms. */
  nowMs: () => number;
  warn: (message: string, fields: Record<string, unknown>) => void;
}

/** Time after a failed fetch before the next: many checks may use one spec. */
const RETRY_AFTER_MS = 5000;
/**
 * Documents that are fetched at a time: an assignment may name hundreds, and the control plane sends a team's few at a
 * time.
 */
const FETCHES_MAX = 2;

/** The document of one spec, loaded or being loaded. */
interface Entry {
  reference: ApiSpecRef;
  /** Names the team whose spec it is. */
  team: string;
  handle: ApiSpecHandle;
  /** Settles once the document is on this machine; undefined: nobody fetches it. */
  arriving: Promise<void> | undefined;
  failure: { error: Error; atMs: number } | undefined;
}

/** The documents of all specs that assigned checks use. */
export class SpecSource {
  readonly #parts: SpecSourceParts;
  /** By spec id. */
  readonly #entries = new Map<string, Entry>();
  #fetches = 0;
  /** By team, called one by one as fetches end; the team whose turn is next comes first. */
  readonly #waitingFetches = new Map<string, (() => void)[]>();

  constructor(parts: SpecSourceParts) {
    this.#parts = parts;
  }

  /** Learns which documents the checks need, and fetches missing ones before the checks are due. */
  learn(checks: readonly CheckDefinition[]): void {
    for (const { apiSpecs = [], teamNumber = 0 } of checks)
      for (const reference of apiSpecs) {
        const known = this.#entries.get(reference.specId);
        if (known?.reference.contentSha256 === reference.contentSha256) continue;
        const entry = this.#entryFor(reference, String(teamNumber));
        this.#entries.set(reference.specId, entry);
        this.#arrival(entry).catch(() => {});
      }
  }

  /**
   * Resolves with a handle on the spec's document once it is on this machine. Rejects when the document is not
   * available now.
   */
  async get(specId: string): Promise<ApiSpecHandle> {
    const entry = this.#entries.get(specId);
    if (!entry) throw new Error(`the control plane named no document of the API spec ${specId}`);
    await this.#arrival(entry);
    return entry.handle;
  }

  #entryFor(reference: ApiSpecRef, team: string): Entry {
    const handle = this.#parts.engine.handle({
      team,
      sha256: reference.contentSha256,
      load: () => this.#load(reference, team),
    });
    return { reference, team, handle, arriving: undefined, failure: undefined };
  }

  #arrival(entry: Entry): Promise<void> {
    const { failure } = entry;
    if (failure) {
      if (this.#parts.nowMs() - failure.atMs < RETRY_AFTER_MS) return Promise.reject(failure.error);
      entry.failure = undefined;
      entry.arriving = undefined;
    }
    entry.arriving ??= this.#load(entry.reference, entry.team).then(
      () => {},
      (error: Error) => {
        entry.failure = { error, atMs: this.#parts.nowMs() };
        const { specId } = entry.reference;
        this.#parts.warn("an API spec can't be loaded; slots that need it are given back", {
          specId,
          error: error.message,
        });
        throw error;
      },
    );
    return entry.arriving;
  }

  /** Returns the document as JSON: from disk, else from the control plane. */
  async #load(reference: ApiSpecRef, team: string): Promise<Buffer> {
    const { cache, warn } = this.#parts;
    const { contentSha256 } = reference;
    const kept = await cache.read(contentSha256);
    if (kept) {
      try {
        return await unpackSpec(kept, contentSha256);
      } catch {
        await cache.drop(contentSha256);
      }
    }
    const fetched = await this.#fetchInTurn(reference, team);
    const document = await unpackSpec(fetched, contentSha256);
    await cache
      .write(contentSha256, fetched)
      .catch((error: Error) =>
        warn("an API spec could not be kept on disk", { specId: reference.specId, error: error.message }),
      );
    return document;
  }

  async #fetchInTurn(reference: ApiSpecRef, team: string): Promise<Buffer> {
    if (this.#fetches >= FETCHES_MAX)
      await new Promise<void>((resolve) => {
        const own = this.#waitingFetches.get(team) ?? [];
        this.#waitingFetches.set(team, [...own, resolve]);
      });
    else this.#fetches++;
    try {
      return await this.#parts.fetch(reference);
    } finally {
      // A fetch that waits takes over the place.
      const next = this.#nextFetch();
      if (next) next();
      else this.#fetches--;
    }
  }

  /** Removes and returns the fetch whose turn is next; its team's other fetches wait for the other teams' turns. */
  #nextFetch(): (() => void) | undefined {
    const [first] = this.#waitingFetches;
    if (!first) return undefined;
    const [team, [next, ...others]] = first;
    this.#waitingFetches.delete(team);
    if (others.length > 0) this.#waitingFetches.set(team, others);
    return next;
  }
}

/** Loads documents: fetches them through the spec loader's own egress policy and compiles them off the event loop. */
import { DomainError, type TeamId } from "@svc/contract";
import { type Egress, EgressDenied, type EgressOptions, fetchGuarded, GuardedFetchError } from "@svc/egress";
import { type CompiledSpec, describeProblem, LaneFull, OpenApiEngine, SPEC_BYTES_MAX } from "@svc/openapi";
import type { Config } from "../../platform/config.ts";
import { createTeamEgress, type TeamEgress } from "../../platform/team-egress.ts";
import { refuseVaultReferences } from "../team-secrets/refuse-references.ts";
import { TeamTurns } from "./team-turns.ts";

/** Tools for loading documents; made once per process. */
export interface SpecTools {
  engine: OpenApiEngine;
  egressOf: TeamEgress;
  /** Bounds the documents that one team has under way, so that it can't hold up the others. */
  turns: TeamTurns;
}

/** Longest that a fetch may take with its redirects. */
const FETCH_TIMEOUT_MS = 10_000;
const REDIRECTS_MAX = 5;
/** Seconds after which trying again makes sense while too many documents are being read. */
const BUSY_RETRY_SECONDS = 10;

/**
 * Returns the tools. Private addresses stay blocked for the loader even where probes may reach them, because it runs in the
 * operator's network.
 * @param way another resolver or dialler than the system's
 */
export function createSpecTools(
  config: Config,
  way: Pick<EgressOptions, "resolve" | "connect"> = {},
): SpecTools {
  return {
    engine: new OpenApiEngine(),
    turns: new TeamTurns(),
    egressOf: createTeamEgress({
      ...way,
      allowPrivate: config.specLoaderPrivate === "allow",
      remedy: "the operator can set SVC_SPEC_LOADER_PRIVATE=allow to load specs from it",
    }),
  };
}

/** The document to compile, and how messages refer to it. */
export interface CompileDocumentInput {
  /** The team whose document it is: teams take turns. */
  teamId: TeamId;
  bytes: Uint8Array;
  /** Field of the request's body under which messages about the document stand. */
  field: string;
  /** URL that the document was fetched from. */
  sourceUrl?: string;
}

/**
 * Compiles a document.
 * @throws DomainError `invalid` with the position of every problem, or `unavailable`
 */
export async function compileDocument(
  { engine }: SpecTools,
  { teamId, bytes, field, sourceUrl }: CompileDocumentInput,
): Promise<CompiledSpec> {
  const compiled = await whenNotBusy(() => engine.compile({ team: teamId, bytes, sourceUrl }));
  if (compiled.success) return compiled.spec;
  const messages = compiled.problems.map(describeProblem);
  if (compiled.omittedProblems > 0) messages.push(`and ${compiled.omittedProblems} more`);
  throw new DomainError("invalid", "Validation failed", {
    details: { fieldErrors: { [field]: messages }, formErrors: [] },
  });
}

/**
 * Fetches a document and compiles it.
 * @param input.field field of the request's body under which messages about the document stand
 * @throws DomainError `invalid` when the document can't be fetched or is not valid, `unavailable`
 */
export async function loadDocument(
  tools: SpecTools,
  { teamId, sourceUrl, field }: { teamId: TeamId; sourceUrl: string; field: string },
): Promise<CompiledSpec> {
  refuseVaultReferences(sourceUrl, field);
  const { bytes, url } = await fetchDocument(tools.egressOf(teamId), sourceUrl, field);
  return compileDocument(tools, { teamId, bytes, field, sourceUrl: url });
}

async function fetchDocument(
  egress: Egress,
  sourceUrl: string,
  field: string,
): Promise<{ bytes: Uint8Array; url: string }> {
  try {
    const response = await fetchGuarded(egress, sourceUrl, {
      headers: {
        accept: "application/json, application/yaml, text/yaml, */*;q=0.5",
        "user-agent": "svc-spec-loader",
      },
      maxBytes: SPEC_BYTES_MAX,
      timeoutMs: FETCH_TIMEOUT_MS,
      maxRedirects: REDIRECTS_MAX,
      refuseCredentialsInUrl: true,
    });
    if (response.status !== 200)
      throw fieldError(field, `the document could not be loaded: the server answered ${response.status}`);
    return { bytes: response.body, url: response.url };
  } catch (error) {
    if (error instanceof GuardedFetchError || error instanceof EgressDenied)
      throw fieldError(field, error.message, error);
    throw error;
  }
}

/**
 * Runs work for the engine.
 * @throws DomainError `unavailable` when too much work waits already: the caller may try again
 */
export async function whenNotBusy<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LaneFull)) throw error;
    throw new DomainError("unavailable", "Too many documents are being read; try again", {
      retryAfterSeconds: BUSY_RETRY_SECONDS,
      cause: error,
    });
  }
}

function fieldError(field: string, message: string, cause?: unknown): DomainError {
  return new DomainError("invalid", "Validation failed", {
    details: { fieldErrors: { [field]: [message] }, formErrors: [] },
    cause,
  });
}

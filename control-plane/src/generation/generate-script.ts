/**
 * Generates the script of a browser check from a description: a language model writes a draft, the draft is run at a location
 * within limits of its traffic, and is repaired from what came of it. Nothing is stored.
 */
import {
  DomainError,
  type GeneratedScript,
  type GenerateScript,
  type LocationId,
  SCRIPT_GENERATION_LIMITS,
  type ScriptGenerationEvent,
  vaultNamesIn,
} from "@svc/contract";
import type { ConnectedRunners } from "../gateway/test-runs/find-runner.ts";
import type { TeamContext } from "../platform/team-context.ts";
import { chooseLocation } from "./choose-location.ts";
import { askModel, type ModelParts } from "./generator.ts";
import { lookAtPage, ofSite, type SeenPage } from "./look-at-page.ts";
import { WRITE_SCRIPT } from "./prompts.ts";
import { problemOfDraft, scriptIn, stepsOf } from "./script-draft.ts";
import { targetOf } from "./target.ts";
import { type EndedTry, type TryParts, tryScript } from "./try-script.ts";

/** Longest answer of the model, tokens. */
const TOKENS_MAX = 4_000;
/** Longest run of a draft, ms. */
const RUN_MS_MAX = 30_000;
/** Shortest time in which an answer or a run is begun; an agent's smallest limit of a run is 5 s, and it needs a browser first. */
const ANSWER_MS_MIN = 3_000;
const RUN_MS_MIN = 5_000;
const RUN_OVERHEAD_MS = 8_000;
const NO_TIME = "There was no time left to try it.";
/** Longest previous script that a model is shown, characters. */
const PREVIOUS_CHARACTERS_MAX = 64 * 1024;
/** Most of an error or a log that a model is shown, characters. */
const EVIDENCE_CHARACTERS_MAX = 4_000;

/** Whatever a generation needs of its surroundings. */
export interface GenerationParts extends ModelParts {
  state: ConnectedRunners;
  sleep: TryParts["sleep"];
  onProgress: (progress: Omit<Extract<ScriptGenerationEvent, { name: "progress" }>["data"], "at">) => void;
}

/** A draft, and how its try went. */
interface Draft {
  script: string;
  verified: GeneratedScript["verified"];
  /** The evidence that the model is to repair it from; undefined: nothing can be repaired. */
  evidence: object | undefined;
}

/** The request, and the facts about its target that are known before the first draft. */
interface Assignment {
  input: GenerateScript;
  target: URL | undefined;
  page: SeenPage | undefined;
  /** Where drafts are tried; a text: why they are not. */
  location: LocationId | { problem: string };
  /** Secrets that the person has named. */
  vaultNames: string[];
}

/**
 * Returns a script for the description, and how its try went.
 * @throws DomainError `unavailable` when the model gives no script; `invalid` for a script that is too long to be shown to it, or a
 *   location that is not the team's
 */
export async function generateScript(
  ctx: TeamContext,
  input: GenerateScript,
  parts: GenerationParts,
): Promise<GeneratedScript> {
  if ((input.previousScript?.length ?? 0) > PREVIOUS_CHARACTERS_MAX)
    throw new DomainError(
      "invalid",
      `previousScript: at most ${PREVIOUS_CHARACTERS_MAX} characters can be changed by words`,
    );
  const assignment = await prepare(ctx, input, parts);
  let best: Draft | undefined;
  let lastTry: object | undefined;
  for (let attempt = 1; attempt <= 1 + SCRIPT_GENERATION_LIMITS.repairsMax; attempt++) {
    if (best && parts.remainingMs() < ANSWER_MS_MIN) break;
    const problem = best?.verified.problem ?? null;
    parts.onProgress({ phase: attempt === 1 ? "writing" : "repairing", attempt, problem });
    const script = await write(ctx, { assignment, lastTry }, parts).catch((error: unknown) => {
      // A draft that failed is worth more than nothing.
      if (best && !parts.signal.aborted) return undefined;
      throw error;
    });
    if (script === undefined) break;
    best = await attemptDraft(ctx, { script, assignment, attempt }, parts);
    if (best.evidence === undefined) break;
    lastTry = best.evidence;
  }
  const { script, verified } = best as Draft;
  return {
    mode: "playwright",
    script,
    description: input.description,
    model: parts.model.name,
    steps: stepsOf(script),
    verified,
  };
}

async function prepare(ctx: TeamContext, input: GenerateScript, parts: GenerationParts): Promise<Assignment> {
  const { description, refinement, previousScript } = input;
  const target = targetOf(input);
  const vaultNames = vaultNamesIn([description, refinement ?? "", previousScript ?? ""]);
  const chosen = await chooseLocation(ctx, parts.state, input.locationId as LocationId | undefined);
  const base = { input, target, vaultNames };
  if (target === undefined)
    return {
      ...base,
      page: undefined,
      location: { problem: "Neither targetUrl nor the description names a URL." },
    };
  if ("problem" in chosen) return { ...base, page: undefined, location: chosen };
  parts.onProgress({ phase: "looking", attempt: 0, problem: null });
  const { locationId } = chosen;
  const page = await lookAtPage(ctx, { target, locationId }, parts).catch((error: unknown) =>
    reasonOf(error, parts),
  );
  if (typeof page === "string") return { ...base, page: undefined, location: { problem: page } };
  return { ...base, page, location: locationId };
}

/** Has the model write a draft. @throws DomainError `unavailable` when it gives none */
async function write(
  ctx: TeamContext,
  { assignment, lastTry }: { assignment: Assignment; lastTry: object | undefined },
  parts: GenerationParts,
): Promise<string> {
  const { input, target, page } = assignment;
  const { description, refinement, previousScript } = input;
  const answer = await askModel(
    ctx,
    {
      prompt: WRITE_SCRIPT,
      input: {
        description,
        refinement,
        targetUrl: target?.href,
        previousScript,
        page: page?.outline ?? page?.problem,
        lastTry,
      },
      outputTokensMax: TOKENS_MAX,
    },
    parts,
  );
  const script = scriptIn(answer);
  if (script === undefined)
    throw new DomainError(
      "unavailable",
      "The language model's answer has no script; say more about what to check",
    );
  return script;
}

async function attemptDraft(
  ctx: TeamContext,
  { script, assignment, attempt }: { script: string; assignment: Assignment; attempt: number },
  parts: GenerationParts,
): Promise<Draft> {
  const { location, page, vaultNames, target, input } = assignment;
  const origins = page?.origins ?? (target && [target.origin]);
  const problem = problemOfDraft(script, { origins, vaultNames });
  if (problem !== undefined)
    return { script, verified: untried("failed", problem), evidence: { script, refused: problem } };
  if (typeof location === "object") return notRun(script, location.problem);
  const timeoutMs = Math.min(RUN_MS_MAX, parts.remainingMs() - RUN_OVERHEAD_MS);
  if (timeoutMs < RUN_MS_MIN || !page || !target) return notRun(script, NO_TIME);
  parts.onProgress({ phase: "trying", attempt, problem: null });
  // With a secret in its hands, a script reads from the target's own site alone.
  const readOrigins = vaultNamesIn(script).length > 0 ? ofSite(page.readOrigins, target) : page.readOrigins;
  const limits = { origins: page.origins, readOrigins, allowsWrites: input.allowWrites };
  const tried = { script, locationId: location, limits, timeoutMs: Math.floor(timeoutMs) };
  const ended = await tryScript(ctx, tried, parts).catch((error: unknown) => reasonOf(error, parts));
  return typeof ended === "string" ? notRun(script, ended) : draftOf(script, ended);
}

/** Returns why nothing was tried. @throws the error itself where it is nobody's doing, or nobody waits any more */
function reasonOf(error: unknown, { signal, remainingMs }: GenerationParts): string {
  if (error instanceof DomainError) return error.message;
  if (signal.aborted && remainingMs() <= 0) return NO_TIME;
  throw error;
}

function draftOf(script: string, { testRunId, problem, result, screenshots }: EndedTry): Draft {
  const ofRun = { screenshots, testRunUrl: `/api/test-runs/${testRunId}` };
  if (!result) return { ...notRun(script, problem ?? "The runner could not run it."), evidence: undefined };
  const notes = result.notes ?? [];
  if (result.status === "success")
    return { script, verified: { status: "passed", problem: null, notes, ...ofRun }, evidence: undefined };
  const error = result.errorMessage ?? "it failed";
  return {
    script,
    verified: { status: "failed", problem: error, notes, ...ofRun },
    evidence: {
      script,
      error: error.slice(0, EVIDENCE_CHARACTERS_MAX),
      line: result.scriptLine ?? null,
      notes,
      pageThen: result.pageOutline ?? null,
      steps: (result.steps ?? []).map(({ name, status }) => ({ name, status })),
    },
  };
}

function notRun(script: string, problem: string): Draft {
  return { script, verified: untried("not_run", problem), evidence: undefined };
}

function untried(status: "failed" | "not_run", problem: string): GeneratedScript["verified"] {
  return { status, problem, notes: [], screenshots: [], testRunUrl: null };
}

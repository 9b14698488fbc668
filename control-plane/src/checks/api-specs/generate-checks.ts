/** Generates checks from specs: all or none, and none that is there already. */
import {
  type Check,
  type CreateCheck,
  DomainError,
  GENERATED_CHECKS_UNCONFIRMED_MAX,
  type GenerateBySpec,
  type GeneratedChecks,
  type GenerateFromSpec,
  maskUrl,
  newId,
  notFound,
  type SpecId,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import { assertWithinCaps } from "../../accounts/caps/assert-within-caps.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { JobOverrun, TeamQueueFull, threadPool } from "../../platform/threads/thread-pool.ts";
import { createCheck } from "../create-check.ts";
import { storeSpec } from "./create-spec.ts";
import { loadDocument, type SpecTools } from "./document.ts";
import { type GenerationInput, generationJob, type PlannedOperation } from "./generation-job.ts";
import { sourceUrlFromRow } from "./row.ts";
import { checkedOperations, findOperations, findSpecByName, findSpecsByUrl, lockSpecRow } from "./store.ts";
import { changeSpec } from "./update-spec.ts";

/** More operations are new than may be generated without being confirmed; nothing was changed. */
export class ConfirmationNeeded extends Error {
  readonly newOperations: number;

  constructor(newOperations: number) {
    super(
      `The spec yields ${newOperations} new operations, more than ${GENERATED_CHECKS_UNCONFIRMED_MAX}; set confirm to true to create them all`,
    );
    this.newOperations = newOperations;
  }
}

/** The spec, and the choices about the checks to generate. */
export interface GenerateFromSpecInput {
  specId: SpecId;
  plan: GenerateFromSpec;
}

/** Most times that the operations are read anew because another request gave the spec another document meanwhile. */
const ATTEMPTS_MAX = 3;

/**
 * Creates a check for each operation of the spec that has none. The checks are derived before anything is locked.
 * @throws ConfirmationNeeded, or DomainError `not_found`, `limit_exceeded`, `invalid`, `conflict`, `unavailable`: then
 *   nothing is created
 */
export async function generateFromSpec(
  ctx: TeamContext,
  { specId, plan: { confirm, ...plan } }: GenerateFromSpecInput,
): Promise<GeneratedChecks> {
  const { teamId, services } = ctx;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const found = await findOperations(services.knex, teamId, specId);
    if (!found) throw notFound("Spec");
    const { operationsText, contentSha256 } = found;
    const planned = await planOperations(teamId, { operationsText, plan: { ...plan, specId } });
    const generated = await services.knex.transaction((trx) =>
      createPlanned(ctx, trx, { specId, contentSha256, planned, confirm }),
    );
    if (generated) return generated;
  }
  throw new DomainError("conflict", "The spec is being changed by other requests; try again");
}

/**
 * Creates checks from a spec that is named by id, name or URL. A document at a URL is fetched first, and stored as a spec
 * when the team has none of that URL.
 * @throws ConfirmationNeeded, or DomainError as {@link generateFromSpec}; also `rate_limited`
 */
export async function generateBySpec(
  ctx: TeamContext,
  tools: SpecTools,
  { spec: reference, ...plan }: GenerateBySpec,
): Promise<GeneratedChecks> {
  if (reference.source === "id") return generateFromSpec(ctx, { specId: reference.specId as SpecId, plan });
  if (reference.source === "url") return generateFromUrl(ctx, tools, { ...plan, ...reference });
  const row = await findSpecByName(ctx.services.knex, ctx.teamId, reference.name);
  if (!row) throw notFound("Spec");
  return generateFromSpec(ctx, { specId: row.id, plan });
}

async function generateFromUrl(
  ctx: TeamContext,
  tools: SpecTools,
  { specUrl, name, confirm, ...plan }: GenerateFromSpec & { specUrl: string; name?: string | undefined },
): Promise<GeneratedChecks> {
  const { teamId, services } = ctx;
  const spec = await tools.turns.run(teamId, () =>
    loadDocument(tools, { teamId, sourceUrl: specUrl, field: "spec" }),
  );
  const { operationsJson: operationsText, contentSha256 } = spec;
  // Which spec has this URL is known for certain only under the lock; the checks get its id there.
  const planned = await planOperations(teamId, { operationsText, plan: { ...plan, specId: newId("spec") } });
  const generated = await services.knex.transaction(async (trx) => {
    // Two requests for one team at once must not both find that the URL is new.
    await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("id");
    const alike = await findSpecsByUrl(trx, teamId, [specUrl, maskUrl(specUrl)]);
    const existing = alike.find((row) => sourceUrlFromRow(services.secrets, row) === specUrl);
    const row = existing
      ? await changeSpec(ctx, trx, { id: existing.id, document: { spec, sourceUrl: specUrl } })
      : await storeSpec(ctx, trx, { name, sourceUrl: specUrl, spec });
    return createPlanned(ctx, trx, { specId: row.id, contentSha256, planned, confirm });
  });
  if (generated) return generated;
  throw new DomainError("conflict", "The spec is being changed by other requests; try again");
}

/**
 * Derives the check of each operation, in a thread.
 * @throws DomainError `invalid` when that takes too long, `unavailable` while too much of the team's work waits
 */
function planOperations(teamId: TeamId, input: GenerationInput): Promise<PlannedOperation[]> {
  return threadPool.run(generationJob, { teamId, input }).catch((error) => {
    if (error instanceof JobOverrun)
      throw new DomainError("invalid", "The spec's operations take too long to derive checks from", {
        cause: error,
      });
    if (!(error instanceof TeamQueueFull)) throw error;
    throw new DomainError("unavailable", "Too many specs of the team are being read", {
      retryAfterSeconds: 2,
      cause: error,
    });
  });
}

interface CreatePlannedInput {
  specId: SpecId;
  /** Hash of the document that the plan was made from. */
  contentSha256: string;
  planned: readonly PlannedOperation[];
  confirm: boolean;
}

/** Creates the checks that are planned and not there yet. Returns undefined when the spec has another document by now. */
async function createPlanned(
  ctx: TeamContext,
  trx: Knex,
  { specId, contentSha256, planned, confirm }: CreatePlannedInput,
): Promise<GeneratedChecks | undefined> {
  const { teamId, services } = ctx;
  // The lock makes generations from one spec follow one another, so that none creates what another just did.
  const row = await lockSpecRow(trx, teamId, specId);
  if (!row) throw notFound("Spec");
  if (row.contentSha256 !== contentSha256) return undefined;
  const existing = await checkedOperations(trx, teamId, specId);
  const wanted: string[] = [];
  const skipped: GeneratedChecks["skipped"] = [];
  for (const { operationPath: operation, ...outcome } of planned) {
    const checkId = existing.get(operation);
    if (checkId !== undefined) skipped.push({ operation, reason: `has a check already: ${checkId}` });
    else if ("reason" in outcome) skipped.push({ operation, reason: outcome.reason });
    else wanted.push(outcome.checkText);
  }
  if (wanted.length > GENERATED_CHECKS_UNCONFIRMED_MAX && !confirm)
    throw new ConfirmationNeeded(wanted.length);
  const created: Check[] = [];
  // Within this transaction each creation is a savepoint of its own.
  const ctxOfTransaction = { ...ctx, services: { ...services, knex: trx } };
  for (const text of wanted) created.push(await createCheck(ctxOfTransaction, checkOfSpec(text, specId)));
  await assertWithinCaps(trx, ctx);
  return { mode: "spec", specId, created, skipped, warnings: warningsOf(created) };
}

/** Methods that change nothing by their definition (RFC 9110, 9.2.1). */
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Warns of created checks whose requests are meant to change something. */
function warningsOf(created: readonly Check[]): string[] {
  const unsafe = created.flatMap(({ configJson }) =>
    typeof configJson.method === "string" && !SAFE_METHODS.has(configJson.method) ? [configJson.method] : [],
  );
  if (unsafe.length === 0) return [];
  const methods = [...new Set(unsafe)].sort().join(", ");
  const what = unsafe.length === 1 ? "1 check sends" : `${unsafe.length} checks send`;
  return [`${what} ${methods}: each run, at each location, changes what the API holds`];
}

/** Returns a planned check, whose conformance assertion names this spec. */
function checkOfSpec(text: string, specId: SpecId): CreateCheck {
  const check = JSON.parse(text) as CreateCheck;
  for (const assertion of ("httpConfig" in check && check.httpConfig?.assertions) || [])
    if ("specId" in assertion) assertion.specId = specId;
  return check;
}

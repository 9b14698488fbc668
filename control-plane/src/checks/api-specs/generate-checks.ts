/** Generates checks from specs: all or none, and none that is there already. */
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Check,
  type CreateCheck,
  GENERATED_CHECKS_UNCONFIRMED_MAX,
  type GenerateBySpec,
  type GeneratedChecks,
  type GenerateFromSpec,
  notFound,
  type SpecId,
} from "@svc/contract";
import type { Knex } from "knex";
import { assertWithinCaps } from "../../accounts/caps/assert-within-caps.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { createCheck } from "../create-check.ts";
import { storeSpec } from "./create-spec.ts";
import { loadDocument, type SpecTools } from "./document.ts";
import { checkOfOperation, operationPathOf } from "./operation-check.ts";
import { checkedOperations, findSpecByName, findSpecByUrl, lockSpecRow, readOperations } from "./store.ts";
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

export interface GenerateFromSpecInput {
  specId: SpecId;
  plan: GenerateFromSpec;
}

/**
 * Creates a check for each operation of the spec that has none.
 * @throws ConfirmationNeeded, or DomainError `not_found`, `limit_exceeded`, `invalid`: then nothing is created
 */
export async function generateFromSpec(
  ctx: TeamContext,
  input: GenerateFromSpecInput,
): Promise<GeneratedChecks> {
  return ctx.services.knex.transaction((trx) => generate(ctx, trx, input));
}

/**
 * Creates checks from a spec that is named by id, name or URL. A document at a URL is fetched first, and stored as a spec
 * when the team has none of that URL.
 * @throws ConfirmationNeeded, or DomainError as {@link generateFromSpec}; also `rate_limited` and `unavailable`
 */
export async function generateBySpec(
  ctx: TeamContext,
  tools: SpecTools,
  { spec: reference, ...plan }: GenerateBySpec,
): Promise<GeneratedChecks> {
  const { teamId, services } = ctx;
  const { knex } = services;
  if (reference.source === "id") return generateFromSpec(ctx, { specId: reference.specId as SpecId, plan });
  if (reference.source === "name") {
    const row = await findSpecByName(knex, teamId, reference.name);
    if (!row) throw notFound("Spec");
    return generateFromSpec(ctx, { specId: row.id, plan });
  }
  const { specUrl, name } = reference;
  const spec = await tools.turns.run(teamId, () =>
    loadDocument(tools, { sourceUrl: specUrl, field: "spec" }),
  );
  return knex.transaction(async (trx) => {
    // Two requests for one team at once must not both find that the URL is new.
    await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("id");
    const existing = await findSpecByUrl(trx, teamId, specUrl);
    const row = existing
      ? await changeSpec(ctx, trx, { id: existing.id, document: { spec, sourceUrl: specUrl } })
      : await storeSpec(ctx, trx, { name, sourceUrl: specUrl, spec });
    return generate(ctx, trx, { specId: row.id, plan });
  });
}

async function generate(
  ctx: TeamContext,
  trx: Knex,
  { specId, plan: { confirm, ...plan } }: GenerateFromSpecInput,
): Promise<GeneratedChecks> {
  const { teamId, services } = ctx;
  // The lock makes generations from one spec follow one another, so that none creates what another just did.
  const row = await lockSpecRow(trx, teamId, specId);
  if (!row) throw notFound("Spec");
  const existing = await checkedOperations(trx, teamId, specId);
  const wanted: CreateCheck[] = [];
  const skipped: GeneratedChecks["skipped"] = [];
  for (const operation of await readOperations(trx, specId)) {
    // A spec has up to 5,000 operations; others get a turn in between.
    await nextTurn();
    const operationPath = operationPathOf(operation);
    const checkId = existing.get(operationPath);
    const generated =
      checkId === undefined
        ? checkOfOperation(operation, { ...plan, specId })
        : { reason: `has a check already: ${checkId}` };
    if ("check" in generated) wanted.push(generated.check);
    else skipped.push({ operation: operationPath, reason: generated.reason });
  }
  if (wanted.length > GENERATED_CHECKS_UNCONFIRMED_MAX && !confirm)
    throw new ConfirmationNeeded(wanted.length);
  const created: Check[] = [];
  // Within this transaction each creation is a savepoint of its own.
  const ctxOfTransaction = { ...ctx, services: { ...services, knex: trx } };
  for (const check of wanted) created.push(await createCheck(ctxOfTransaction, check));
  await assertWithinCaps(trx, ctx);
  return { mode: "spec", specId, created, skipped };
}

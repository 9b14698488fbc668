import { newId, type Spec } from "@svc/contract";
import type { CompiledSpec } from "@svc/openapi";
import type { Knex } from "knex";
import { assertWithinCaps } from "../../accounts/caps/assert-within-caps.ts";
import { changeRecordIn } from "../../accounts/change-log/change-record.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { compileDocument, loadDocument, type SpecTools } from "./document.ts";
import { type SpecRow, sourceUrlColumns, specFromRow } from "./row.ts";
import { contentColumns, insertSpecRow } from "./store.ts";
import type { CreateSpecBody } from "./upload-body.ts";

const NAME_LENGTH_MAX = 255;

/**
 * Reads a document and stores it as a new spec. Fetching and reading happen before anything is locked.
 * @throws DomainError `invalid`, `conflict` when the name is taken, `rate_limited`, `unavailable`
 */
export async function createSpec(ctx: TeamContext, tools: SpecTools, input: CreateSpecBody): Promise<Spec> {
  const spec = await tools.turns.run(ctx.teamId, () =>
    input.sourceType === "upload"
      ? compileDocument(tools, { teamId: ctx.teamId, bytes: input.content.bytes, field: "content" })
      : loadDocument(tools, { teamId: ctx.teamId, sourceUrl: input.sourceUrl, field: "sourceUrl" }),
  );
  const sourceUrl = input.sourceType === "url" ? input.sourceUrl : null;
  return specFromRow(
    ctx.services.secrets,
    await storeSpec(ctx, ctx.services.knex, { name: input.name, sourceUrl, spec }),
  );
}

/** A compiled document that becomes a spec. */
export interface StoreSpecInput {
  /** Default: the document's title. */
  name?: string | undefined;
  /** null: the document was uploaded. */
  sourceUrl: string | null;
  spec: CompiledSpec;
}

/**
 * Stores a compiled document as a new spec.
 * @param db where to begin the transaction; within another transaction it is a savepoint
 * @throws DomainError `conflict` when the name is taken
 */
export async function storeSpec(
  ctx: TeamContext,
  db: Knex,
  { name: givenName, sourceUrl, spec }: StoreSpecInput,
): Promise<SpecRow> {
  const { teamId, services } = ctx;
  const name = givenName ?? (spec.summary.title.trim().slice(0, NAME_LENGTH_MAX) || "Untitled");
  const store = async (trx: Knex) => {
    const id = newId("spec");
    const row = await insertSpecRow(trx, {
      ...contentColumns(spec),
      ...sourceUrlColumns(services.secrets, { specId: id, sourceUrl }),
      id,
      teamId,
      name,
      sourceType: sourceUrl === null ? "upload" : "url",
      createdAt: new Date(services.clock.nowMs()).toISOString(),
    });
    return {
      result: row,
      changes: [{ action: "created" as const, type: "spec" as const, resourceId: row.id, name }],
    };
  };
  return conflictWhenInUse({ noun: "spec", name, advice: "give this one another name" }, () =>
    db.transaction(async (trx) => {
      const row = await changeRecordIn(ctx, trx, store);
      await assertWithinCaps(trx, ctx);
      return row;
    }),
  );
}

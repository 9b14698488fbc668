import { invalidField, maskUrl, notFound, type Spec, type SpecId } from "@svc/contract";
import type { CompiledSpec } from "@svc/openapi";
import type { Knex } from "knex";
import { assertWithinCaps } from "../../accounts/caps/assert-within-caps.ts";
import { changeRecordIn } from "../../accounts/change-log/change-record.ts";
import { changedFields, type Described } from "../../accounts/change-log/changed-fields.ts";
import { conflictWhenInUse } from "../../platform/db/conflict-when-in-use.ts";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import type { TeamContext } from "../../platform/team-context.ts";
import { compileDocument, loadDocument, type SpecTools } from "./document.ts";
import { type SpecRow, sourceUrlColumns, sourceUrlFromRow, specFromRow } from "./row.ts";
import { contentColumns, findSpecRow, lockSpecRow, patchSpecRow, reviseChecksUsingSpec } from "./store.ts";
import type { UpdateSpecBody } from "./upload-body.ts";

/** A compiled document and its source; `sourceUrl` null: the document was uploaded. */
interface SpecDocument {
  spec: CompiledSpec;
  sourceUrl: string | null;
}

/** Change of a spec: another name, another document, or both. */
export interface ChangeSpecInput {
  id: SpecId;
  name?: string | undefined;
  document?: SpecDocument | undefined;
}

/**
 * Renames a spec, or gives it another document: the one sent, the one at the given URL, or (empty body) its own URL's once
 * more. Runners get another document with the next revision of the checks that use it.
 * @throws DomainError `not_found`, `invalid`, `conflict` when the name is taken, `rate_limited`, `unavailable`
 */
export async function updateSpec(
  ctx: TeamContext,
  tools: SpecTools,
  { id, update }: { id: SpecId; update: UpdateSpecBody },
): Promise<Spec> {
  const { knex, secrets } = ctx.services;
  const current = await findSpecRow(knex, ctx.teamId, id);
  if (!current) throw notFound("Spec");
  const document = await tools.turns.run(ctx.teamId, () =>
    newDocument(
      tools,
      { teamId: ctx.teamId, sourceType: current.sourceType, sourceUrl: sourceUrlFromRow(secrets, current) },
      update,
    ),
  );
  const row = await knex.transaction((trx) => changeSpec(ctx, trx, { id, name: update.name, document }));
  return specFromRow(secrets, row);
}

/**
 * Applies a change within a transaction.
 * @throws DomainError `not_found`, or `conflict` when the name is taken
 */
export function changeSpec(
  ctx: TeamContext,
  trx: Knex,
  { id, name, document }: ChangeSpecInput,
): Promise<SpecRow> {
  const { teamId, services } = ctx;
  return changeRecordIn(ctx, trx, async () => {
    const current = await lockSpecRow(trx, teamId, id);
    if (!current) throw notFound("Spec");
    const patch: Record<string, unknown> = { updatedAt: new Date(services.clock.nowMs()).toISOString() };
    if (name !== undefined) patch.name = name;
    if (document) {
      const { spec, sourceUrl } = document;
      Object.assign(patch, sourceUrlColumns(services.secrets, { specId: id, sourceUrl }));
      patch.sourceType = sourceUrl === null ? "upload" : "url";
      if (spec.contentSha256 !== current.contentSha256) {
        Object.assign(patch, contentColumns(spec));
        if ((await reviseChecksUsingSpec(trx, teamId, id)) > 0) await wakeFleets(trx, "checks");
      }
    }
    const updated = await conflictWhenInUse(
      { noun: "spec", name, advice: "give this one another name" },
      () => patchSpecRow(trx, id, patch),
    );
    await assertWithinCaps(trx, ctx);
    return {
      result: updated,
      changes: [
        {
          action: "updated",
          type: "spec",
          resourceId: id,
          name: updated.name,
          changedFields: changedFields(
            describeSpec(services.secrets, current),
            describeSpec(services.secrets, updated),
            {
              before: describeSpecMasked(services.secrets, current),
              after: describeSpecMasked(services.secrets, updated),
            },
          ),
        },
      ],
    };
  });
}

/** Returns a spec as the change log compares it: another document shows by its hash. */
function describeSpec(secrets: SecretBox, row: SpecRow): Described {
  const { id, teamId, createdAt, updatedAt, sourceUrlSealed, ...described } = row;
  return { ...described, sourceUrl: sourceUrlFromRow(secrets, row) };
}

/** Returns a spec as the change log shows it: the credentials of its URL masked. */
function describeSpecMasked(secrets: SecretBox, row: SpecRow): Described {
  const sourceUrl = sourceUrlFromRow(secrets, row);
  return { ...describeSpec(secrets, row), sourceUrl: sourceUrl === null ? null : maskUrl(sourceUrl) };
}

async function newDocument(
  tools: SpecTools,
  current: Pick<SpecRow, "teamId" | "sourceType" | "sourceUrl">,
  { name, sourceType, content, sourceUrl }: UpdateSpecBody,
): Promise<SpecDocument | undefined> {
  if (content !== undefined) {
    // A record that was read carries its URL; with new content only another one contradicts it.
    if (sourceType === "url" || (sourceUrl && sourceUrl !== current.sourceUrl))
      throw invalidField("content", "give content or a sourceUrl, not both");
    const { teamId } = current;
    const spec = await compileDocument(tools, { teamId, bytes: content.bytes, field: "content" });
    return { spec, sourceUrl: null };
  }
  if (sourceType === "upload" && current.sourceType === "url") throw invalidField("content", "required");
  if (sourceType === "url" && !sourceUrl && current.sourceType === "upload")
    throw invalidField("sourceUrl", "required");
  const isEmpty = name === undefined && sourceUrl === undefined;
  const url = sourceUrl ?? (isEmpty ? current.sourceUrl : null);
  if (url === null) return undefined;
  const { teamId } = current;
  const spec = await loadDocument(tools, { teamId, sourceUrl: url, field: "sourceUrl" });
  return { spec, sourceUrl: url };
}

import { invalidField, notFound, type Spec, type TeamId } from "@svc/contract";
import type { CompiledSpec } from "@svc/openapi";
import type { Knex } from "knex";
import { changedFields, type Described } from "../../accounts/change-log/changed-fields.ts";
import { recordChange } from "../../accounts/change-log/store.ts";
import { wakeFleets } from "../../platform/db/wake-ups.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { refuseTakenName } from "./create-spec.ts";
import { compileDocument, loadDocument, type SpecTools } from "./document.ts";
import { type SpecRow, specFromRow } from "./row.ts";
import { contentColumns, findSpecRow, lockSpecRow, patchSpecRow, reviseChecksUsingSpec } from "./store.ts";
import type { UpdateSpecBody } from "./upload-body.ts";

/** What an update brings: a name, a document, or both. `sourceUrl` null: the document was uploaded. */
export interface SpecChange {
  name?: string | undefined;
  document?: { spec: CompiledSpec; sourceUrl: string | null };
}

/**
 * Renames a spec, or gives it another document: the one sent, the one at the URL given, or (empty body) its own URL's
 * again. Runners get another document with the next revision of the checks that use it.
 * @throws DomainError not_found, invalid, conflict (the name is taken), rate_limited, unavailable
 */
export async function updateSpec(
  services: Services,
  tools: SpecTools,
  teamId: TeamId,
  id: string,
  body: UpdateSpecBody,
  author: Author,
): Promise<Spec> {
  const current = await findSpecRow(services.knex, teamId, id);
  if (!current) throw notFound("Spec");
  const document = await tools.turns.run(teamId, () => newDocument(tools, current, body));
  const row = await services.knex.transaction((trx) =>
    changeSpec(services, trx, teamId, id, { name: body.name, ...(document ? { document } : {}) }, author),
  );
  return specFromRow(row);
}

/** Applies a change within a transaction. @throws DomainError not_found, conflict */
export async function changeSpec(
  { clock }: Services,
  trx: Knex,
  teamId: TeamId,
  id: string,
  { name, document }: SpecChange,
  author: Author,
): Promise<SpecRow> {
  const current = await lockSpecRow(trx, teamId, id);
  if (!current) throw notFound("Spec");
  const nowMs = clock.nowMs();
  const patch: Record<string, unknown> = { updatedAt: new Date(nowMs).toISOString() };
  if (name !== undefined) patch.name = name;
  if (document) {
    const { spec, sourceUrl } = document;
    Object.assign(patch, { sourceUrl, sourceType: sourceUrl === null ? "upload" : "url" });
    if (spec.contentSha256 !== current.contentSha256) {
      Object.assign(patch, contentColumns(spec));
      if ((await reviseChecksUsingSpec(trx, teamId, id)) > 0) await wakeFleets(trx, "checks");
    }
  }
  const updated = await refuseTakenName(name, () => patchSpecRow(trx, id, patch));
  await recordChange(trx, {
    ...{ teamId, author, action: "updated", type: "spec", resourceId: id, name: updated.name, atMs: nowMs },
    changedFields: changedFields(describeSpec(current), describeSpec(updated)),
  });
  return updated;
}

/** A spec as the change log compares it: another document shows by its hash. */
function describeSpec({ id, teamId, createdAt, updatedAt, ...described }: SpecRow): Described {
  return described;
}

async function newDocument(
  tools: SpecTools,
  current: SpecRow,
  { name, sourceType, content, sourceUrl }: UpdateSpecBody,
): Promise<SpecChange["document"]> {
  if (content !== undefined) {
    // A record that was read carries its URL; with new content only another one contradicts it.
    if (sourceType === "url" || (sourceUrl && sourceUrl !== current.sourceUrl))
      throw invalidField("content", "give content or a sourceUrl, not both");
    return { spec: await compileDocument(tools, content.bytes, "content"), sourceUrl: null };
  }
  if (sourceType === "upload" && current.sourceType === "url") throw invalidField("content", "required");
  if (sourceType === "url" && !sourceUrl && current.sourceType === "upload")
    throw invalidField("sourceUrl", "required");
  const isEmpty = name === undefined && sourceUrl === undefined;
  const url = sourceUrl ?? (isEmpty ? current.sourceUrl : null);
  if (url === null) return undefined;
  return { spec: await loadDocument(tools, url, "sourceUrl"), sourceUrl: url };
}

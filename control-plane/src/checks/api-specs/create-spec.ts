import { DomainError, newId, type Spec, type TeamId } from "@svc/contract";
import type { CompiledSpec } from "@svc/openapi";
import type { Knex } from "knex";
import { recordChange } from "../../accounts/change-log/store.ts";
import type { Services } from "../../platform/services.ts";
import type { Author } from "../../platform/team-context.ts";
import { compileDocument, loadDocument, type SpecTools } from "./document.ts";
import { type SpecRow, specFromRow } from "./row.ts";
import { contentColumns, insertSpecRow } from "./store.ts";
import type { CreateSpecBody } from "./upload-body.ts";

const NAME_LENGTH_MAX = 255;

/**
 * Reads a document and stores it. Fetching and reading happen before anything is locked.
 * @throws DomainError invalid, conflict (the name is taken), rate_limited, unavailable
 */
export async function createSpec(
  services: Services,
  tools: SpecTools,
  teamId: TeamId,
  body: CreateSpecBody,
  author: Author,
): Promise<Spec> {
  const spec = await tools.turns.run(teamId, () =>
    body.sourceType === "upload"
      ? compileDocument(tools, body.content.bytes, "content")
      : loadDocument(tools, body.sourceUrl, "sourceUrl"),
  );
  const sourceUrl = body.sourceType === "url" ? body.sourceUrl : null;
  const stored = await storeSpec(
    services,
    services.knex,
    teamId,
    { name: body.name, sourceUrl, spec },
    author,
  );
  return specFromRow(stored);
}

/** Stores a compiled document as a new spec; without a name its title is the name. @throws DomainError conflict */
export async function storeSpec(
  { clock }: Services,
  db: Knex,
  teamId: TeamId,
  { name, sourceUrl, spec }: { name?: string | undefined; sourceUrl: string | null; spec: CompiledSpec },
  author: Author,
): Promise<SpecRow> {
  const chosen = name ?? (spec.summary.title.trim().slice(0, NAME_LENGTH_MAX) || "Untitled");
  const [id, nowMs] = [newId("spec"), clock.nowMs()];
  return refuseTakenName(chosen, () =>
    db.transaction(async (trx) => {
      const row = await insertSpecRow(trx, {
        ...{ id, teamId, name: chosen, sourceUrl },
        sourceType: sourceUrl === null ? "upload" : "url",
        ...contentColumns(spec),
        createdAt: new Date(nowMs).toISOString(),
      });
      await recordChange(trx, {
        ...{ teamId, author, action: "created", type: "spec", resourceId: id, name: chosen, atMs: nowMs },
      });
      return row;
    }),
  );
}

/** SQLSTATE unique_violation. */
const UNIQUE_VIOLATION = "23505";

/** Runs a write; a name that another spec of the team has is a conflict. */
export async function refuseTakenName<T>(name: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION)
      throw new DomainError("conflict", `A spec named "${name}" already exists; give this one another name`, {
        cause: error,
      });
    throw error;
  }
}

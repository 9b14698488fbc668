/** Generation of checks from specs: all or nothing, and nothing that is there already. */
import {
  type Check,
  type CreateCheck,
  GENERATED_CHECKS_UNCONFIRMED_MAX,
  type GenerateBySpec,
  type GeneratedChecks,
  type GenerateFromSpec,
  notFound,
  type TeamId,
} from "@svc/contract";
import type { Knex } from "knex";
import type { Services } from "../../platform/services.ts";
import { type Author, OPERATOR } from "../../platform/team-context.ts";
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

/**
 * Creates a check for each operation of the spec that has none.
 * @throws ConfirmationNeeded; DomainError not_found, limit_exceeded, invalid: then nothing is created
 */
export async function generateFromSpec(
  services: Services,
  teamId: TeamId,
  specId: string,
  body: GenerateFromSpec,
  author: Author = OPERATOR,
): Promise<GeneratedChecks> {
  return services.knex.transaction((trx) => generate(services, trx, teamId, specId, body, author));
}

/** The same for a spec named by id, name or URL; a URL is fetched first, and stored as a spec when the team has none of it. */
export async function generateBySpec(
  services: Services,
  tools: SpecTools,
  teamId: TeamId,
  { spec: reference, ...body }: GenerateBySpec,
  author: Author = OPERATOR,
): Promise<GeneratedChecks> {
  if (reference.source === "id") return generateFromSpec(services, teamId, reference.specId, body, author);
  if (reference.source === "name") {
    const row = await findSpecByName(services.knex, teamId, reference.name);
    if (!row) throw notFound("Spec");
    return generateFromSpec(services, teamId, row.id, body, author);
  }
  const { specUrl, name } = reference;
  const spec = await tools.turns.run(teamId, () => loadDocument(tools, specUrl, "spec"));
  return services.knex.transaction(async (trx) => {
    // Requests for one team at once must not both find that the URL is new.
    await trx("teams").where({ id: teamId }).forNoKeyUpdate().first("id");
    const existing = await findSpecByUrl(trx, teamId, specUrl);
    const row = existing
      ? await changeSpec(
          services,
          trx,
          teamId,
          existing.id,
          { document: { spec, sourceUrl: specUrl } },
          author,
        )
      : await storeSpec(services, trx, teamId, { name, sourceUrl: specUrl, spec }, author);
    return generate(services, trx, teamId, row.id, body, author);
  });
}

async function generate(
  services: Services,
  trx: Knex,
  teamId: TeamId,
  specId: string,
  { confirm, ...plan }: GenerateFromSpec,
  author: Author,
): Promise<GeneratedChecks> {
  // The lock also makes generations of one spec follow one another, so that none creates what another just did.
  const row = await lockSpecRow(trx, teamId, specId);
  if (!row) throw notFound("Spec");
  const existing = await checkedOperations(trx, teamId, specId);
  const wanted: CreateCheck[] = [];
  const skipped: GeneratedChecks["skipped"] = [];
  for (const operation of await readOperations(trx, specId)) {
    const operationPath = operationPathOf(operation);
    const checkId = existing.get(operationPath);
    const outcome =
      checkId === undefined
        ? checkOfOperation(operation, { ...plan, specId })
        : { reason: `has a check already: ${checkId}` };
    if ("check" in outcome) wanted.push(outcome.check);
    else skipped.push({ operation: operationPath, reason: outcome.reason });
  }
  if (wanted.length > GENERATED_CHECKS_UNCONFIRMED_MAX && !confirm)
    throw new ConfirmationNeeded(wanted.length);
  const created: Check[] = [];
  // Within this transaction each creation is a savepoint of its own.
  for (const check of wanted)
    created.push(await createCheck({ services: { ...services, knex: trx }, teamId, author }, check));
  return { mode: "spec", specId, created, skipped };
}

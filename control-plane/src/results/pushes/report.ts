import { setTimeout as sleep } from "node:timers/promises";
import { notFound } from "@svc/contract";
import { hashToken } from "../../accounts/identity/tokens.ts";
import { deliverOutcomes, type PushParts } from "./deliver-outcomes.ts";
import { judgeReport, type Report } from "./judge-report.ts";
import type { PushOutcome } from "./outcome.ts";
import { insertOutcome, lockCheckOfToken, updateExpectation } from "./store.ts";

/** Longest wait of a request until ingest has its report. */
const DELIVERY_WAIT_MS = 5_000;

/**
 * Stores the report of whoever knows a check's token. Resolves once it is stored for good; its result follows at once, or with
 * the next round of the job.
 * @param input.assertMayReport throws when the check has reported too often; called only for a token that exists
 * @throws DomainError `not_found` for an unknown token
 */
export async function reportPush(
  parts: PushParts,
  {
    token,
    report,
    assertMayReport,
  }: { token: string; report: Report; assertMayReport: (key: string) => void },
): Promise<void> {
  const { knex, clock } = parts.services;
  const outcome = await knex.transaction(async (trx) => {
    const row = await lockCheckOfToken(trx, hashToken(token));
    if (!row) throw notFound("URL");
    assertMayReport(row.id);
    const judgement = judgeReport(row, report, clock.nowMs());
    if (!judgement) return undefined;
    if (judgement.outcome) await insertOutcome(trx, judgement.outcome);
    await updateExpectation(trx, row.checkKey, judgement.patch);
    return judgement.outcome;
  });
  if (outcome) await deliverSoon(parts, outcome);
}

/** Hands the outcome over to ingest, and waits for that a while: it is stored already, and the job hands over what is left. */
async function deliverSoon(parts: PushParts, outcome: PushOutcome): Promise<void> {
  const ended = new AbortController();
  const delivered = deliverOutcomes(parts, [outcome]).catch((error: unknown) =>
    parts.services.log.warn({ err: error }, "a report waits for the next round"),
  );
  await Promise.race([
    delivered,
    sleep(DELIVERY_WAIT_MS, undefined, { signal: ended.signal }).catch(() => undefined),
  ]);
  ended.abort();
}

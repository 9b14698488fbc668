import { SECOND_MS } from "@svc/contract";
import type { TeamContext } from "../../platform/team-context.ts";
import { applyPolicy } from "./apply-policy.ts";
import { endRules } from "./end-rules.ts";

/** Time that a request waits for the rules of very many checks; the background job makes the rest. */
const APPLY_WITHIN_MS = 3 * SECOND_MS;
/** Ended rules that a request resolves; the background job resolves the rest. */
const ENDED_MAX = 200;

/** Makes the rules follow a policy that was written just now, so that the answer of most requests shows them. */
export async function applyWritten({ services: { knex, clock } }: TeamContext, key: number): Promise<void> {
  const atMs = clock.nowMs();
  await applyPolicy(knex, key, { atMs, withinMs: APPLY_WITHIN_MS });
  await endRules(knex, { atMs, rulesMax: ENDED_MAX });
}

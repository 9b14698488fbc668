/** SQL of the tokens that language models cost, by calendar month (UTC). */
import type { Knex } from "knex";
import { queryRows } from "../db/rows.ts";
import type { TokenUse } from "./language-model.ts";

const MONTH = "date_trunc('month', to_timestamp(?::double precision / 1000) AT TIME ZONE 'UTC')::date";

/** Returns the tokens of questions and answers in the month of an instant. */
export async function readTokens(db: Knex, nowMs: number): Promise<number> {
  const [row] = await queryRows<{ tokens: number }>(
    db,
    `SELECT input_tokens + output_tokens AS tokens FROM language_model_use WHERE month = ${MONTH}`,
    [nowMs],
  );
  return Number(row?.tokens ?? 0);
}

/** Adds the tokens of a question and its answer. */
export async function noteTokens(db: Knex, nowMs: number, use: TokenUse): Promise<void> {
  await db.raw(
    `INSERT INTO language_model_use (month, input_tokens, output_tokens) VALUES (${MONTH}, ?, ?)
     ON CONFLICT (month) DO UPDATE SET input_tokens = language_model_use.input_tokens + excluded.input_tokens,
       output_tokens = language_model_use.output_tokens + excluded.output_tokens`,
    [nowMs, use.inputTokens, use.outputTokens],
  );
}

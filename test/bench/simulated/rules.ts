/** The memory of a replica's alert rules: the real cache, fed by a simulated database. */
import type { Knex } from "knex";
import { RuleCache } from "../../../control-plane/src/alerting/evaluation/rule-cache.ts";
import { collectGarbage } from "../measure.ts";

const RULES = 50_000;
const RULES_AT_ONCE = 5_000;
const CONDITIONS = '[{"type":"consecutive_failures","count":2}]';

/** Returns the bytes of heap that one rule takes. */
export async function bytesOfRule(): Promise<number> {
  const cache = new RuleCache();
  const before = heapBytes();
  for (let firstKey = 1; firstKey <= RULES; firstKey += RULES_AT_ONCE) {
    const rows = Array.from({ length: RULES_AT_ONCE }, (_, i) => ruleRow(firstKey + i));
    const names = Object.keys(rows[0] ?? {});
    const database = { raw: async () => ({ rows, fields: names.map((name) => ({ name })) }) };
    await cache.refresh(database as unknown as Knex);
  }
  const bytes = (heapBytes() - before) / RULES;
  if (cache.find(RULES)?.rules.length !== 1) throw new Error("the rules are not in the cache");
  return bytes;
}

function heapBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Returns a row as the driver makes it: each text is a string of its own. */
function ruleRow(key: number): Record<string, unknown> {
  return {
    horizon: "5",
    in_progress: null,
    key,
    id: fresh(`alert_${String(key).padStart(26, "0")}`),
    check_key: key,
    team_id: fresh(`team_${String(key % 1_000).padStart(26, "0")}`),
    name: null,
    conditions_json: fresh(CONDITIONS),
    channel_ids: [fresh(`nch_${String(key % 1_000).padStart(26, "0")}`)],
    confirm: false,
    recovery_successes: 1,
    revision: 1,
    is_active: true,
  };
}

function fresh(text: string): string {
  return Buffer.from(text).toString();
}

/** The memory of a replica's alert rules: the real cache, fed by a simulated database. */
import type { AlertRuleId, ChannelId, TeamId } from "@svc/contract";
import { RuleCache } from "../../../control-plane/src/alerting/evaluation/rule-cache.ts";
import type { ChangedRule } from "../../../control-plane/src/alerting/rules/evaluation-store.ts";
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
    const readRuleChanges = async () => ({ horizon: "5", rules: rows, checksInProgress: [] });
    await cache.refresh({ readRuleChanges });
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
function ruleRow(key: number): ChangedRule {
  return {
    key,
    id: fresh(`alert_${String(key).padStart(26, "0")}`) as AlertRuleId,
    checkKey: key,
    teamId: fresh(`team_${String(key % 1_000).padStart(26, "0")}`) as TeamId,
    name: null,
    conditionsJson: fresh(CONDITIONS),
    channelIds: [fresh(`nch_${String(key % 1_000).padStart(26, "0")}`) as ChannelId],
    confirm: false,
    recoverySuccesses: 1,
    revision: 1,
    isActive: true,
  };
}

function fresh(text: string): string {
  return Buffer.from(text).toString();
}

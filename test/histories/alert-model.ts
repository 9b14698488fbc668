/** The sequential model of alerts: takes one result after the other, and knows a single kind of rule. */
import type { Condition } from "@svc/contract";
import { isSuccess, publicResultId } from "../../control-plane/src/alerting/inputs/judged-result.ts";
import type { ResultRow, Tables } from "./tables.ts";

/** An instance of the sequential model: the results that began and ended it. */
interface SequentialInstance {
  ruleKey: number;
  triggeringResultId: string;
  recoveryResultId: string | null;
}

/**
 * Returns the instances that one result after the other gives, in the order of their commits. Those of one transaction come in
 * the order of their slots. A result of before the rule decides nothing, and counts once it was committed. A rule fires when a location has failed `count` times in a row, at a failure; it recovers at a
 * success, once every location has succeeded `recoverySuccesses` times in a row, or always.
 */
export function sequentialInstances(tables: Tables): SequentialInstance[] {
  const instances: SequentialInstance[] = [];
  for (const rule of tables.rules) {
    const count = countOf(rule.conditions);
    const locationKeys = tables.checks.get(rule.checkKey)?.locationKeys ?? [];
    const knownAt = new Map(locationKeys.map((key) => [key, [] as ResultRow[]]));
    let open: SequentialInstance | undefined;
    let unseen: ResultRow[] = [];
    const add = (row: ResultRow) => {
      const known = knownAt.get(row.locationKey);
      known?.push(row);
      known?.sort((a, b) => b.slotMs - a.slotMs);
    };
    for (const row of inOrder(tables, rule.checkKey)) {
      const known = knownAt.get(row.locationKey);
      if (!known) continue;
      if (!row.ruleKeys.includes(rule.key)) {
        unseen.push(row);
        continue;
      }
      const isSeen = ({ ordinal }: ResultRow) => ordinal < row.knownResults;
      for (const one of unseen.filter(isSeen)) add(one);
      unseen = unseen.filter((one) => !isSeen(one));
      const isNewest = known.every(({ slotMs }) => slotMs < row.slotMs);
      add(row);
      if (!isNewest) continue;
      const rows = [...knownAt.values()];
      const isFiring = rows.some((one) => rowOf(one, false) >= count);
      if (isFiring && !open && row.isCheckOn && !isSuccess(row)) {
        open = {
          ruleKey: rule.key,
          triggeringResultId: publicResultId(rule.checkKey, row),
          recoveryResultId: null,
        };
        instances.push(open);
      } else if (open && !isFiring && isSuccess(row)) {
        const isOver = rows.every((one) => rowOf(one, true) >= Math.min(rule.recoverySuccesses, one.length));
        if (!isOver) continue;
        open.recoveryResultId = publicResultId(rule.checkKey, row);
        open = undefined;
      }
    }
  }
  return instances;
}

function countOf([condition]: readonly Condition[]): number {
  if (condition?.type !== "consecutive_failures") throw new Error("the sequential model knows one condition");
  return condition.count;
}

function inOrder({ results }: Tables, checkKey: number): ResultRow[] {
  return [...results.values()]
    .filter((row) => row.checkKey === checkKey)
    .sort((a, b) =>
      a.xid === b.xid ? a.slotMs - b.slotMs || a.locationKey - b.locationKey : a.ordinal - b.ordinal,
    );
}

/** Returns how many of the newest results in a row are alike. */
function rowOf(newestFirst: readonly ResultRow[], isOfSuccesses: boolean): number {
  const end = newestFirst.findIndex((row) => isSuccess(row) !== isOfSuccesses);
  return end < 0 ? newestFirst.length : end;
}

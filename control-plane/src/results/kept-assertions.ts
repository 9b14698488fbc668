/** Adds to successes that kept no results of their assertions those of the newest one before that did. */
import { checkTypes, type Result, resultIdOf } from "@svc/contract";
import type { Knex } from "knex";
import { unpackAssertions } from "./packed-assertions.ts";
import type { ResultOwner } from "./row.ts";
import { type LocationSlot, readKeptAssertions } from "./store.ts";

/** A result as the API shows it, and its key. */
interface ShownResult {
  result: Result;
  run: LocationSlot;
}

/** Sets `keptAssertions` of each result: null where the result has its own, or there are none before it. */
export async function addKeptAssertions(
  db: Knex,
  check: ResultOwner,
  shown: readonly ShownResult[],
): Promise<void> {
  for (const { result } of shown) result.keptAssertions = null;
  if (!hasAssertions(check)) return;
  const lacking = shown.filter(({ result }) => result.status === "success" && !result.assertions);
  const rows = await readKeptAssertions(
    db,
    check.key,
    lacking.map(({ run }) => run),
  );
  const bySlot = new Map(rows.map((row) => [idOf(row), row]));
  for (const { result, run } of lacking) {
    const kept = bySlot.get(idOf(run));
    if (!kept) continue;
    const { locationKey, keptSlotMs: slotMs, keptStartDelayMs, packed } = kept;
    result.keptAssertions = {
      resultId: resultIdOf({ checkKey: check.key, locationKey, slotMs }),
      startedAt: new Date(slotMs + keptStartDelayMs).toISOString(),
      assertions: unpackAssertions(packed),
    };
  }
}

/** True for a type of checks that has assertions of its own, rather than of its steps or none. */
function hasAssertions({ type }: ResultOwner): boolean {
  return Object.hasOwn(checkTypes.get(type).monitorFields, "assertions");
}

function idOf({ locationKey, slotMs }: LocationSlot): string {
  return `${locationKey}:${slotMs}`;
}

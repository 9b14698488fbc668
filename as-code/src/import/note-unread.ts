/** Notes what no source looked at: a setting that svc import does not know may change what a check means. */
import { isObject } from "@svc/contract";
import type { ImportDraft } from "./draft.ts";
import type { Item } from "./item.ts";

/** Adds a note for each member of the files that was neither looked at nor passed over, the outermost only. */
export function noteUnread(roots: readonly Item[], draft: ImportDraft): void {
  const monitors = new Map(draft.monitors.map(({ item, name }) => [item.value, name]));
  const pending = [...roots].reverse().map((item): [item: Item, monitor: string | null] => [item, null]);
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [found, outer] = next;
    const { reads, origin } = found;
    const item = standingFor(found);
    const { value } = item;
    if (typeof value !== "object" || value === null || reads.isSettled(value)) continue;
    const monitor = monitors.get(value) ?? outer;
    const inner: Item[] = [];
    if (Array.isArray(value)) inner.push(...item.items());
    else if (!reads.hasLookedInto(value) && /\]$/.test(origin.path)) noteOne(item, monitor, draft);
    else
      for (const name of Object.keys(value)) {
        const member = item.peek(name);
        if (reads.hasLookedAt(value, name)) inner.push(member);
        else noteOne(member, monitor, draft);
      }
    for (const one of inner.reverse()) pending.push([one, monitor]);
  }
}

function standingFor(item: Item): Item {
  const value = item.reads.standingFor(item.origin.path, item.value);
  return value === item.value ? item : item.as(value);
}

function noteOne(item: Item, monitor: string | null, draft: ImportDraft): void {
  if (saysNothing(item.value)) return;
  draft.leftOut(item, "svc import does not know this part: look whether the check needs it", monitor);
}

/** True for a value that tools write where nothing is set. */
function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.every(saysNothing);
  return isObject(value) && Object.values(value).every(saysNothing);
}

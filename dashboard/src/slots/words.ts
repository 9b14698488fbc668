/** Says in words what a cell of the slot strip stands for. Pure. */
import { MISSING_REASON_WORDS } from "@svc/contract";
import type { SlotCell, Slots } from "../api/queries/history.ts";
import { missingReasons, resultStates } from "../status/words.ts";
import { countText, numberText } from "../time/format.ts";

type Missing = NonNullable<SlotCell["missing"]>;

/** Reasons in a few words, for sentences that count. */
const SHORT: Readonly<Record<keyof Missing, string>> = {
  ...MISSING_REASON_WORDS,
  not_explained: "reason not looked up",
};

const countOf = (missing: Missing) => Object.values(missing).reduce((sum, count) => sum + count, 0);
const entriesOf = (missing: Missing) => Object.entries(missing) as [keyof Missing, number][];

/** Returns the reasons with their counts: `12 no runner, 1 runner lost`. */
function reasonsText(missing: Missing): string {
  return entriesOf(missing)
    .map(([reason, count]) => `${numberText(count)} ${SHORT[reason]}`)
    .join(", ");
}

/** Returns the sentence about all slots of a location: how many are accounted for, and by what. */
export function sentenceOf({ expected, received, late, missing }: Slots["locations"][number]): string {
  if (expected === 0) return "No slot was due in this range.";
  const accounted = expected - (missing.not_explained ?? 0);
  const count = countOf(missing);
  const lost = count === 0 ? "none missing" : `${numberText(count)} missing (${reasonsText(missing)})`;
  const tardy = late > 0 ? `, ${numberText(late)} late` : "";
  return `${numberText(accounted)} of ${numberText(expected)} slots accounted for: ${countText(received, "result")}, ${lost}${tardy}`;
}

/** Returns what a cell says. @param textOf shows an instant @param cellMs null: the cell is one slot */
export function cellText(cell: SlotCell, cellMs: number | null, textOf: (ms: number) => string): string {
  const atMs = Date.parse(cell.at);
  if (cellMs !== null) return `${textOf(atMs)} to ${textOf(atMs + cellMs)}: ${severalText(cell)}`;
  const [reason] = entriesOf(cell.missing ?? {})[0] ?? [];
  if (reason !== undefined)
    return `${textOf(atMs)}, missing: ${reason === "not_explained" ? "The reason was not looked up." : missingReasons[reason]}`;
  if (cell.worst === undefined) return `${textOf(atMs)}, pending: its result may still come.`;
  return `${textOf(atMs)}, ${resultStates[cell.worst].word}${cell.late ? ", late" : ""}`;
}

function severalText({ expected, received, late, pending, missing, worst }: SlotCell): string {
  const parts = [`${numberText(received)} of ${numberText(expected)} results`];
  if (worst !== undefined && worst !== "success") parts.push(`worst: ${resultStates[worst].word}`);
  if (missing) parts.push(`${numberText(countOf(missing))} missing (${reasonsText(missing)})`);
  if (late) parts.push(`${numberText(late)} late`);
  if (pending) parts.push(`${numberText(pending)} pending`);
  return parts.join(", ");
}

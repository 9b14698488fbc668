/** The sentence of a plan. Pure. */
import { countText } from "../../time/format.ts";

/** Returns what a plan does in one sentence. */
export function deedsOf(summary: {
  create: number;
  update: number;
  delete: number;
  unchanged: number;
}): string {
  const deeds = (["create", "update", "delete"] as const).flatMap((deed) =>
    summary[deed] > 0 ? [`${deed} ${countText(summary[deed], "resource")}`] : [],
  );
  const stays = `${countText(summary.unchanged, "resource")} would stay as ${summary.unchanged === 1 ? "it is" : "they are"}.`;
  return deeds.length === 0 ? `It would change nothing. ${stays}` : `It would ${listOf(deeds)}. ${stays}`;
}

function listOf(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

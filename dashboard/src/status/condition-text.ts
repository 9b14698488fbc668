/** Conditions of alert rules in a few words. */

/** Returns a condition as its type and its settings: "consecutive failures (count 2)". */
export function conditionText({ type, ...settings }: { type: string }): string {
  const parts = Object.entries(settings)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${wordsOf(name)} ${Array.isArray(value) ? value.join(", ") : String(value)}`);
  const words = wordsOf(type);
  return parts.length === 0 ? words : `${words} (${parts.join(", ")})`;
}

function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}

/** Returns the entry of a table under a stranger's key; keys that every object has are none. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Notes on parts of a record that svc has no counterpart of. */
import { isObject } from "@svc/contract";
import type { ImportDraft } from "../draft.ts";
import type { Item } from "../item.ts";

/** The draft and the name of the monitor, for notes. */
export interface PartNotes {
  draft: ImportDraft;
  monitor: string;
}

/** Notes each of these members that is given and not switched off. @param reasons the reason by the name of the member */
export function noteParts(
  holder: Item,
  reasons: Readonly<Record<string, string>>,
  { draft, monitor }: { draft: ImportDraft; monitor: string | null },
): void {
  for (const [name, reason] of Object.entries(reasons)) {
    if (!holder.has(name)) continue;
    const part = holder.get(name);
    if (isOff(part.value)) part.settle();
    else draft.leftOut(part, reason, monitor);
  }
}

/** True for a value by which tools say that a setting is not used. */
function isOff(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0 || value === "") return true;
  if (Array.isArray(value)) return value.every(isOff);
  return isObject(value) && Object.values(value).every(isOff);
}

/** Reasons that several tools' settings have in common. */
export const REASON = {
  alwaysVerified: "certificates are always verified",
  ipVersion: "the IP version is not chosen by checks",
  sourceAddress: "the address that a check comes from is not chosen by it",
  packetSize: "the size and the flags of packets are not chosen by checks",
  resolver: "agents ask the name servers of their machine",
} as const;

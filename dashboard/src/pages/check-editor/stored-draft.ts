/** Drafts that outlive a reload: kept by this tab of the browser, without secrets. */
import { type CheckType, MASK, maskCheckConfigForRead } from "@svc/contract";
import { type CheckDraft, configKeyOf } from "./body.ts";

/** A draft that was kept. */
export interface StoredDraft {
  draft: CheckDraft;
  /** ISO 8601. */
  at: string;
}

const nameOf = (key: string) => `svc.draft.${key}`;

/** Keeps a draft. @param key the check that is edited, or `new` */
export function storeDraft(key: string, draft: CheckDraft): void {
  const stored: StoredDraft = { draft: withoutSecrets(draft), at: new Date().toISOString() };
  try {
    sessionStorage.setItem(nameOf(key), JSON.stringify(stored));
  } catch {
    // Storage is full or switched off: the draft ends with the page.
  }
}

/** Returns the draft that was kept, if it can be read. */
export function storedDraft(key: string): StoredDraft | undefined {
  try {
    const { draft, at } = JSON.parse(sessionStorage.getItem(nameOf(key)) ?? "") as StoredDraft;
    return typeof draft?.type === "string" && !Number.isNaN(Date.parse(at)) ? { draft, at } : undefined;
  } catch {
    return undefined;
  }
}

/** Forgets the draft that was kept. */
export function forgetDraft(key: string): void {
  try {
    sessionStorage.removeItem(nameOf(key));
  } catch {
    // Storage is switched off: there is none.
  }
}

/** Returns a draft in which what may be secret is left out; bodies and scripts stay. */
function withoutSecrets(draft: CheckDraft): CheckDraft {
  const key = configKeyOf(draft.type as CheckType);
  const config = draft[key];
  if (typeof config !== "object" || config === null) return draft;
  const masked = maskCheckConfigForRead(draft.type, config as Record<string, unknown>, { hasContent: true });
  return { ...draft, [key]: leftOut(masked, config) };
}

/** Returns a masked value in which each mask that the value itself does not have is an empty text. */
function leftOut(masked: unknown, own: unknown): unknown {
  if (typeof masked === "string")
    return masked === own ? masked : masked === MASK ? "" : masked.replaceAll(MASK, "");
  if (Array.isArray(masked))
    return masked.map((item, i) => leftOut(item, Array.isArray(own) ? own[i] : undefined));
  if (typeof masked !== "object" || masked === null) return masked;
  const values = (own ?? {}) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(masked).map(([name, item]) => [name, leftOut(item, values[name])]),
  );
}

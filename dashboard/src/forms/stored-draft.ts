/** Drafts that outlive a reload: kept by this tab of the browser. Whoever keeps one leaves its secrets out. */

/** A draft that was kept. */
interface StoredDraft {
  draft: Record<string, unknown>;
  /** ISO 8601. */
  at: string;
}

const nameOf = (key: string) => `svc.draft.${key}`;

/** Keeps a draft. @param key the record that is edited, or what is made */
export function storeDraft(key: string, draft: Record<string, unknown>): void {
  const stored: StoredDraft = { draft, at: new Date().toISOString() };
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
    const isDraft = typeof draft === "object" && draft !== null && !Array.isArray(draft);
    return isDraft && !Number.isNaN(Date.parse(at)) ? { draft, at } : undefined;
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

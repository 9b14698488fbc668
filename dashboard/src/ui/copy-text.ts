/** Puts a text into the clipboard. */

/** Copies a text. Browsers offer the clipboard on https and this machine only; elsewhere a selected text is copied. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  // Within an open dialog, which keeps the focus to itself.
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
}

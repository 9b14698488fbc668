import { createHash } from "node:crypto";
import type { StatusPageView } from "@svc/contract";

/** A form in which a page is read: its headers, and its text. */
export interface Form {
  headers: Readonly<Record<string, string>>;
  textOf: (view: StatusPageView) => string;
}

/** Text of a view in one form, with its entity tag. */
export interface FormText {
  text: string;
  etag: string;
}

/** Makes the text of each view once in each form. Texts go with their views, which are kept elsewhere. */
export class FormTexts {
  readonly #texts = new WeakMap<StatusPageView, Map<Form, FormText>>();

  /** Returns the text of the view in the form. */
  of(view: StatusPageView, form: Form): FormText {
    const texts = this.#texts.get(view) ?? new Map<Form, FormText>();
    this.#texts.set(view, texts);
    const known = texts.get(form);
    if (known) return known;
    const text = form.textOf(view);
    const made = { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"` };
    texts.set(form, made);
    return made;
  }
}

/** The question that a form asks when somebody else has changed the record since it was read. */

import { Dialog } from "../ui/dialog.tsx";
import { labelOf } from "./label.ts";

/** Names the fields that differ between two records, each of its own or of the object that it lies in. */
export function changedBetween(before: unknown, after: unknown, depth = 2): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [one, other] = [before[name], after[name]];
    if (JSON.stringify(one) === JSON.stringify(other)) return [];
    const within = depth > 1 ? changedBetween(one, other, depth - 1) : [];
    return within.length > 0 ? within : [labelOf(name)];
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Asks what is to hold: what the form has, or what is stored now. */
export function ChangedMeanwhile({
  fields,
  onOverwrite,
  onReload,
  onClose,
}: {
  fields: readonly string[];
  onOverwrite(): void;
  onReload(): void;
  onClose(): void;
}) {
  return (
    <Dialog title="Changed meanwhile" onClose={onClose}>
      {(close) => (
        <>
          <p>
            Somebody else has changed this since you opened it
            {fields.length > 0 ? `: ${fields.join(", ")}.` : "."}
          </p>
          <div className="row">
            <button
              type="button"
              onClick={() => {
                close();
                onOverwrite();
              }}
            >
              Overwrite
            </button>
            <button
              type="button"
              className="quiet-button"
              onClick={() => {
                close();
                onReload();
              }}
            >
              Reload
            </button>
          </div>
          <p className="hint">
            Overwrite saves your form over theirs. Reload drops your changes and shows theirs.
          </p>
        </>
      )}
    </Dialog>
  );
}

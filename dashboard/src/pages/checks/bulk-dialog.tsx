/** Asks before something is done to several checks, and for what it needs. */
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { locationsQuery } from "../../api/queries/locations.ts";
import { RequestError } from "../../api/request.ts";
import type { CheckRow } from "../../status/check-rows.ts";
import { countText } from "../../time/format.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Text } from "../../ui/text.tsx";
import { type BulkChange, useBulk } from "./bulk.ts";

/** Things that can be done to several checks, with their words. */
export const bulkKinds = {
  run: "Run now",
  pause: "Pause",
  resume: "Resume",
  add_labels: "Add label",
  remove_labels: "Remove label",
  set_frequency: "Set frequency",
  set_locations: "Set locations",
  delete: "Delete",
} as const;
/** A thing that can be done to several checks. */
export type BulkKind = keyof typeof bulkKinds;

/** Shows the dialog for some checks. @param props.onDone called once it is done */
export function BulkDialog({
  kind,
  rows,
  onClose,
  onDone,
}: {
  kind: BulkKind;
  rows: readonly CheckRow[];
  onClose(): void;
  onDone(): void;
}) {
  const act = useBulk();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>, close: () => void) => {
    event.preventDefault();
    setIsBusy(true);
    try {
      await act(changeOf(kind, rows, new FormData(event.currentTarget)));
      close();
      onDone();
    } catch (error) {
      const details = error instanceof RequestError ? error.details : [];
      setProblem(details.length > 0 ? details.join("; ") : (error as Error).message);
      setIsBusy(false);
    }
  };
  const count = countText(rows.length, "check");
  return (
    <Dialog title={`${bulkKinds[kind]}: ${count}`} onClose={onClose}>
      {(close) => (
        <form onSubmit={(event) => void submit(event, close)}>
          <ul className="named">
            {rows.slice(0, NAMED_MAX).map(({ id, name }) => (
              <li key={id}>
                <Text>{name}</Text>
              </li>
            ))}
            {rows.length > NAMED_MAX && <li className="quiet">and {rows.length - NAMED_MAX} more</li>}
          </ul>
          <Fields kind={kind} rows={rows} />
          {problem !== undefined && (
            <p role="alert" className="problem">
              {problem}
            </p>
          )}
          <p className="actions">
            <button type="submit" disabled={isBusy}>
              {`${bulkKinds[kind]} (${rows.length})`}
            </button>
            <button type="button" className="quiet-button" onClick={close}>
              Cancel
            </button>
          </p>
        </form>
      )}
    </Dialog>
  );
}

const NAMED_MAX = 8;

function Fields({ kind, rows }: { kind: BulkKind; rows: readonly CheckRow[] }): ReactNode {
  switch (kind) {
    case "add_labels":
    case "remove_labels":
      return (
        <p>
          <label>
            Labels, with spaces between <input name="labels" required placeholder="shop team:payments" />
          </label>
        </p>
      );
    case "set_frequency":
      return (
        <p>
          <label>
            Frequency in seconds{" "}
            <input name="frequency" type="number" required min={10} step={1} defaultValue={60} />
          </label>
        </p>
      );
    case "set_locations":
      return <Locations chosen={rows[0]?.locations ?? []} />;
    case "delete":
      return (
        <>
          <p>Their results, alerts and SLOs go with them. This can't be undone.</p>
          {rows.length > 1 && (
            <p>
              <label>
                Type {rows.length} to delete them{" "}
                <input name="count" required pattern={String(rows.length)} autoComplete="off" />
              </label>
            </p>
          )}
        </>
      );
    default:
      return null;
  }
}

function Locations({ chosen }: { chosen: readonly string[] }) {
  const locations = useQuery(locationsQuery).data?.locations ?? [];
  return (
    <fieldset>
      <legend>Locations</legend>
      {locations.map(({ id, displayName }) => (
        <label key={id} className="choice">
          <input type="checkbox" name="location" value={id} defaultChecked={chosen.includes(id)} />{" "}
          <Text>{displayName}</Text>
        </label>
      ))}
    </fieldset>
  );
}

/** Returns what is to be done, with what undoes it: only those checks are set back that were different before. */
function changeOf(kind: BulkKind, rows: readonly CheckRow[], fields: FormData): BulkChange {
  const idsOf = (some: readonly CheckRow[]) => some.map(({ id }) => id);
  const ids = idsOf(rows);
  const labels = String(fields.get("labels") ?? "")
    .split(/[\s,]+/)
    .filter(Boolean);
  switch (kind) {
    case "pause":
    case "resume": {
      const changed = rows.filter(({ state }) => (state === "paused") === (kind === "resume"));
      const back = kind === "pause" ? "resume" : "pause";
      const done = kind === "pause" ? "paused" : "resumed";
      return { ids, action: { action: kind }, done, undo: { ids: idsOf(changed), action: { action: back } } };
    }
    case "add_labels":
    case "remove_labels": {
      const adds = kind === "add_labels";
      const changed = rows.filter((row) => labels.some((label) => row.labels.includes(label) !== adds));
      // With several labels, some checks had one and not the other: setting all of them back would change those.
      const undo = labels.length === 1 && {
        undo: {
          ids: idsOf(changed),
          action: { action: adds ? ("remove_labels" as const) : ("add_labels" as const), labels },
        },
      };
      return { ids, action: { action: kind, labels }, done: adds ? "labelled" : "unlabelled", ...undo };
    }
    case "set_frequency":
      return {
        ids,
        action: { action: kind, frequencySeconds: Number(fields.get("frequency")) },
        done: "changed",
      };
    case "set_locations":
      return {
        ids,
        action: { action: kind, locations: fields.getAll("location").map(String) },
        done: "changed",
      };
    case "run":
      return { ids, action: { action: kind }, done: "ordered to run" };
    case "delete":
      return { ids, action: { action: kind }, done: "deleted" };
  }
}

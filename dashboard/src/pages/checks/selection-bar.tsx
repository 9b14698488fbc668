/** What can be done to the selected checks. */
import { numberText } from "../../time/format.ts";
import { type BulkKind, bulkKinds } from "./bulk-dialog.tsx";

/** Shows the bar. */
export function SelectionBar({
  count,
  onChoose,
  onCopy,
  onClear,
}: {
  count: number;
  onChoose(kind: BulkKind): void;
  onCopy(): void;
  onClear(): void;
}) {
  const name = `${numberText(count)} selected`;
  return (
    <div role="toolbar" aria-label={name} className="list-state">
      <span role="status">{name}</span>
      {(Object.keys(bulkKinds) as BulkKind[]).map((kind) => (
        <button key={kind} type="button" className="quiet-button" onClick={() => onChoose(kind)}>
          {bulkKinds[kind]}
        </button>
      ))}
      <button type="button" className="quiet-button" onClick={onCopy}>
        Copy as YAML
      </button>
      <button type="button" className="quiet-button" onClick={onClear}>
        Clear
      </button>
    </div>
  );
}

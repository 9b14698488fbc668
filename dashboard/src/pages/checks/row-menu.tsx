/** What can be done with one check of the list. */
import { useLocation } from "wouter";
import { duplicatePath } from "../../shell/check-paths.ts";
import type { CheckRow } from "../../status/check-rows.ts";
import { Menu } from "../../ui/menu.tsx";
import type { BulkKind } from "./bulk-dialog.tsx";
import { copyCheckAsCode } from "./copy-as-code.ts";

/** Shows the menu. @param props.mayChange false: the reader changes nothing @param props.onChoose asks before something is done */
export function RowMenu({
  row,
  mayChange,
  onChoose,
}: {
  row: CheckRow;
  mayChange: boolean;
  onChoose(kind: BulkKind): void;
}) {
  const [, navigate] = useLocation();
  const item = (label: string, kind: BulkKind) => ({ label, act: () => onChoose(kind) });
  const changes = [
    item("Run now", "run"),
    row.state === "paused" ? item("Resume", "resume") : item("Pause", "pause"),
    { label: "Duplicate", act: () => navigate(duplicatePath(row.id)) },
    item("Delete", "delete"),
  ];
  return (
    <Menu
      name={`Actions for ${row.name}`}
      items={[
        { label: "Copy as YAML", act: () => void copyCheckAsCode(row.id) },
        ...(mayChange ? changes : []),
      ]}
    >
      …
    </Menu>
  );
}

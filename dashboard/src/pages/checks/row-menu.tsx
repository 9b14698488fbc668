/** What can be done with one check of the list. */
import type { checkRoutes } from "@svc/contract";
import { request } from "../../api/request.ts";
import type { CheckRow } from "../../status/check-rows.ts";
import { copyText } from "../../ui/copy-text.ts";
import { Menu } from "../../ui/menu.tsx";
import { say } from "../../ui/messages.tsx";
import type { BulkKind } from "./bulk-dialog.tsx";

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
  const item = (label: string, kind: BulkKind) => ({ label, act: () => onChoose(kind) });
  const changes = [
    item("Run now", "run"),
    row.state === "paused" ? item("Resume", "resume") : item("Pause", "pause"),
    item("Delete", "delete"),
  ];
  return (
    <Menu
      name={`Actions for ${row.name}`}
      items={[{ label: "Copy as YAML", act: () => void copyAsCode(row.id) }, ...(mayChange ? changes : [])]}
    >
      …
    </Menu>
  );
}

async function copyAsCode(id: string): Promise<void> {
  try {
    const { files, reason } = await request<typeof checkRoutes.getAsCode>("GET", "/api/checks/:id/as-code", {
      params: { id },
    });
    const [config] = files;
    if (!config) return say({ text: reason ?? "No config describes this check.", isProblem: true });
    await copyText(config.text);
    say({ text: files.length > 1 ? "Copied, without its script: see the tab As code." : "Copied." });
  } catch (error) {
    say({ text: (error as Error).message, isProblem: true });
  }
}

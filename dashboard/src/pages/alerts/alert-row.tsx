/** The columns of the list of alerts. */
import type { alertInstanceRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { alertStates, severityWords } from "../../status/words.ts";
import { Since } from "../../time/ago.tsx";
import { durationText, instantText } from "../../time/format.ts";
import { HeldBackText } from "../../ui/held-back.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { State } from "../../ui/state.tsx";
import type { Column } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

/** An alert as the list has it. */
export type AlertRow = Answer<typeof alertInstanceRoutes.list>["instances"][number];

/** The columns that every reader sees. */
export const ALERT_COLUMNS: readonly Column<AlertRow>[] = [
  { title: "Severity", cell: ({ severity }) => severityWords[severity] },
  { title: "State", cell: ({ state }) => <State state={alertStates[state]} /> },
  {
    title: "Check",
    cell: ({ checkId, checkName }) =>
      checkId === null ? (
        "third party"
      ) : (
        <PageLink page="check" parameters={{ id: checkId }}>
          <Text>{checkName ?? checkId}</Text>
        </PageLink>
      ),
  },
  {
    title: "Rule",
    cell: ({ id, ruleName }) => (
      <PageLink page="alert" parameters={{ id }}>
        <Text>{ruleName ?? "Alert"}</Text>
      </PageLink>
    ),
  },
  {
    title: "Why",
    cell: ({ contextJson: { summary } }) => (typeof summary === "string" ? <Text>{summary}</Text> : ""),
  },
  {
    title: "Lasts",
    cell: ({ startedAt, durationMs }) => (
      <span className="nowrap" title={instantText(startedAt)}>
        {durationMs === null ? <Since at={startedAt} /> : durationText(durationMs)}
      </span>
    ),
  },
  { title: "Notifications", cell: ({ notificationCount }) => notificationCount },
  {
    title: "Silent",
    cell: ({ muted, heldBack }) => (heldBack ? <HeldBackText heldBack={heldBack} /> : muted ? "Muted" : ""),
  },
];

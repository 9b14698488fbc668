/** The feed of events: what happened to checks, alerts and locations. */
import type { FeedEvent, FeedEventType, FeedRange } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { eventsQuery } from "../../api/queries/records.ts";
import { severityWords } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { Choice } from "../../ui/choice.tsx";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";

const RANGE_DEFAULT: FeedRange = "24h";

const RANGES: Readonly<Record<FeedRange, string>> = {
  "1h": "last hour",
  "6h": "last 6 hours",
  "24h": "last 24 hours",
  "7d": "last 7 days",
  "14d": "last 14 days",
  "30d": "last 30 days",
};

const TYPES: Readonly<Record<FeedEventType, string>> = {
  "check.completed": "run succeeded",
  "check.failed": "run failed",
  "check.mcp_schema_drift": "MCP server changed",
  "alert.triggered": "alert triggered",
  "alert.acknowledged": "alert acknowledged",
  "alert.recovered": "alert recovered",
  "alert.resolved": "alert resolved",
  "alert.escalated": "alert escalated",
  "alert.notified": "people notified",
  "alert.muted": "alert muted",
  "location.health_changed": "location's health changed",
  "location.status_changed": "location's status changed",
};

/** Shows the newest events. The address carries what the list is restricted to. */
export default function Events() {
  const [search, setSearch] = useSearchParams();
  const [isPaused, setIsPaused] = useState(false);
  const filter = {
    type: search.get("type") ?? "",
    severity: search.get("severity") ?? "",
    range: search.get("range") ?? RANGE_DEFAULT,
  };
  const events = useQuery(eventsQuery(filter, isPaused));
  const choose = (name: keyof typeof filter) => (value: string) =>
    setSearch(
      (before) => {
        const isDefault = value === (name === "range" ? RANGE_DEFAULT : "");
        const after = new URLSearchParams(before);
        if (isDefault) after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return (
    <Page
      title="Events"
      actions={
        <button type="button" aria-pressed={isPaused} onClick={() => setIsPaused(!isPaused)}>
          Pause the feed
        </button>
      }
    >
      <div className="row">
        <Choice
          label="Type"
          value={filter.type}
          options={[["", "all"], ...Object.entries(TYPES)]}
          onChoose={choose("type")}
        />
        <Choice
          label="Severity of alerts"
          value={filter.severity}
          options={[["", "all"], ...Object.entries(severityWords)]}
          onChoose={choose("severity")}
        />
        <Choice
          label="Time"
          value={filter.range}
          options={Object.entries(RANGES)}
          onChoose={choose("range")}
        />
      </div>
      <Loaded query={events}>
        {({ events: rows, hasMore }) =>
          rows.length === 0 ? (
            <Empty>
              Nothing happened in this time. Results, alerts and changes of locations appear here by
              themselves.
            </Empty>
          ) : (
            <>
              <Table
                name="Events"
                rows={rows}
                keyOf={({ id, eventType }) => `${id} ${eventType}`}
                columns={[
                  { title: "When", cell: ({ timestamp }) => <Ago at={timestamp} /> },
                  { title: "Type", cell: ({ eventType }) => <code>{eventType}</code> },
                  {
                    title: "Severity",
                    cell: ({ severity }) => (severity === null ? "" : severityWords[severity]),
                  },
                  { title: "Check", cell: (event) => <Check event={event} /> },
                  { title: "Summary", cell: ({ summary }) => <Text>{summary ?? ""}</Text> },
                ]}
              />
              {hasMore && <p className="quiet">The newest {rows.length} are shown; choose a shorter time.</p>}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Check({ event: { checkId, checkName } }: { event: Pick<FeedEvent, "checkId" | "checkName"> }) {
  if (checkId === null) return null;
  return (
    <PageLink page="check" parameters={{ id: checkId }}>
      <Text>{checkName ?? checkId}</Text>
    </PageLink>
  );
}

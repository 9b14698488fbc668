/** Changes of the configuration: who changed which record from where, and its fields before and after. */
import type { changeRoutes } from "@svc/contract";
import type { ReactNode } from "react";
import type { Answer } from "../api/request.ts";
import { Ago } from "../time/ago.tsx";
import { Table } from "../ui/table.tsx";
import { Text } from "../ui/text.tsx";
import { valueText } from "./changed-value.ts";

type Change = Answer<typeof changeRoutes.list>["changes"][number];

const SOURCES: Readonly<Record<Change["source"], string>> = {
  ui: "Dashboard",
  yaml: "Deployed config",
  api: "API",
};

/** Words for the kinds of records. */
export const RECORDS: Readonly<Record<Change["type"], string>> = {
  check: "Check",
  alert: "Alert rule",
  slo: "SLO",
  channel: "Channel",
  location: "Location",
  runner_key: "Runner key",
  api_key: "API key",
  maintenance_window: "Maintenance window",
  spec: "API spec",
  telemetry: "Telemetry",
  secret: "Secret",
  third_party_pattern: "Third-party pattern",
  alert_policy: "Alert policy",
  status_page: "Status page",
  status_notice: "Notice",
  incident_policy: "Incident policy",
  report_subscription: "Recipients of reports",
  rota: "Rota",
};

/**
 * Shows changes as a table.
 * @param props.name accessible name of the table
 * @param props.actionOf returns what can be done about a change; absent: nothing can
 */
export function ChangeList({
  name,
  changes,
  actionOf,
}: {
  name: string;
  changes: readonly Change[];
  actionOf?: ((change: Change) => ReactNode) | undefined;
}) {
  return (
    <Table
      name={name}
      rows={changes}
      keyOf={({ id }) => id}
      columns={[
        { title: "When", cell: ({ createdAt }) => <Ago at={createdAt} /> },
        { title: "Who", cell: ({ actorName, actor }) => <Text>{actorName ?? actor ?? "svc itself"}</Text> },
        { title: "From", cell: ({ source }) => <span className="nowrap">{SOURCES[source]}</span> },
        {
          title: "What",
          cell: ({ action, type, name: record, resourceId }) => (
            <>
              {RECORDS[type]} <Text>{record ?? resourceId}</Text> {action}
            </>
          ),
        },
        { title: "Fields", cell: ({ changedFields }) => <ChangedFields fields={changedFields} /> },
        ...(actionOf ? [{ title: "Restore", cell: actionOf }] : []),
      ]}
    />
  );
}

/** A field before and after. */
interface ChangedField {
  field: string;
  oldValue?: unknown;
  newValue?: unknown;
  /** True: both values are masked. */
  redacted?: boolean | undefined;
  /** True: the values are the beginnings of longer ones. */
  truncated?: boolean | undefined;
}

/** Shows fields before and after. */
export function ChangedFields({ fields }: { fields: readonly ChangedField[] }) {
  return (
    <ul className="plain">
      {fields.map(({ field, oldValue, newValue, redacted, truncated }) => (
        <li key={field}>
          <Text>{field}</Text>:{" "}
          {redacted ? (
            <span className="quiet">changed, its values are masked</span>
          ) : (
            <>
              <del>
                <Text>{valueText(oldValue)}</Text>
              </del>{" "}
              <ins>
                <Text>{valueText(newValue)}</Text>
              </ins>
              {truncated && <span className="quiet"> (only their beginnings are kept)</span>}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The list of alerts. Its filter stands in the address. */
import "./alerts.css";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { SHOWN_AT_ONCE } from "../../api/all-parts.ts";
import { alertsQuery } from "../../api/queries/alerts.ts";
import { useMayChange } from "../../shell/session.tsx";
import { Choice } from "../../ui/choice.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { ShowMore } from "../../ui/show-more.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useFilter } from "../../ui/use-filter.ts";
import { ALERT_COLUMNS, type AlertRow } from "./alert-row.tsx";
import { BulkActions } from "./bulk-actions.tsx";

const OPEN = "active,acknowledged";
const DEFAULTS = { state: OPEN, severity: "", label: "" };
const STATES = [
  [OPEN, "Active and acknowledged"],
  ["active", "Active"],
  ["acknowledged", "Acknowledged"],
  ["recovered,resolved", "Over"],
  ["", "All"],
] as const;
const SEVERITIES = [
  ["", "All"],
  ["critical", "Critical"],
  ["warning", "Warning"],
  ["info", "Info"],
] as const;

/** Shows the alerts that the address asks for: by default those that last. */
export default function Alerts() {
  const { value, set } = useFilter(DEFAULTS);
  const [state, severity, label] = [value("state"), value("severity"), value("label")];
  const [parts, setParts] = useState(1);
  const filter = { ...(state && { state }), ...(severity && { severity }), ...(label && { label }) };
  const alerts = useQuery(alertsQuery(filter, parts));
  return (
    <Page title="Alerts">
      <div className="row">
        <Choice label="State" value={state} options={STATES} onChoose={(chosen) => set("state", chosen)} />
        <Choice
          label="Severity"
          value={severity}
          options={SEVERITIES}
          onChoose={(chosen) => set("severity", chosen)}
        />
        <form
          onSubmit={(event) => {
            event.preventDefault();
            set("label", String(new FormData(event.currentTarget).get("label")).trim());
          }}
        >
          <label>
            Label{" "}
            <input key={label} name="label" type="search" defaultValue={label} placeholder="team:shop" />
          </label>
        </form>
      </div>
      <Loaded query={alerts}>
        {({ instances, hasMore }) =>
          instances.length === 0 ? (
            <Empty>
              {state === OPEN && !severity && !label
                ? "No alert is active. What fails, and has an alert rule, stands here."
                : "No alert is like that."}
            </Empty>
          ) : (
            <>
              <AlertTable alerts={instances} />
              <ShowMore
                shown={instances.length}
                by={SHOWN_AT_ONCE}
                hasMore={hasMore}
                onMore={() => setParts(parts + 1)}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function AlertTable({ alerts }: { alerts: readonly AlertRow[] }) {
  const mayChange = useMayChange();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const open = alerts.filter(({ state }) => state === "active" || state === "acknowledged");
  const ids = open.map(({ id }) => id).filter((id) => chosen.has(id));
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  const select: Column<AlertRow> = {
    title: "Select",
    cell: ({ id, state, ruleName, checkName }) =>
      (state === "active" || state === "acknowledged") && (
        <input
          type="checkbox"
          aria-label={`Select ${ruleName ?? "alert"} of ${checkName ?? "a third party"}`}
          checked={chosen.has(id)}
          onChange={({ target }) => choose(id, target.checked)}
        />
      ),
  };
  return (
    <>
      {ids.length > 0 && <BulkActions ids={ids} onDone={() => setChosen(new Set())} />}
      <Table
        name="Alerts"
        rows={alerts}
        keyOf={({ id }) => id}
        columns={mayChange && open.length > 0 ? [select, ...ALERT_COLUMNS] : ALERT_COLUMNS}
      />
    </>
  );
}

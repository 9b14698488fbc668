/** The list of maintenance windows. */
import { type MaintenanceMode, pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { maintenanceQuery } from "../../api/queries/records.ts";
import { useMayChange } from "../../shell/session.tsx";
import { instantText } from "../../time/format.ts";
import { Page } from "../../ui/page.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Table } from "../../ui/table.tsx";
import { Text } from "../../ui/text.tsx";
import { NextOccurrences } from "./next-occurrences.tsx";
import "./maintenance.css";

const MODES: Readonly<Record<MaintenanceMode, string>> = {
  pause: "checks don't run",
  continue: "checks run, alerts are muted",
};

/** Shows the maintenance windows, with those that hold now. */
export default function Maintenance() {
  const windows = useQuery(maintenanceQuery);
  const mayChange = useMayChange();
  return (
    <Page
      title="Maintenance"
      actions={
        mayChange && (
          <Link href={pagePath("newWindow", {})} className="button">
            New maintenance window
          </Link>
        )
      }
    >
      <Loaded query={windows}>
        {({ maintenanceWindows: rows }) =>
          rows.length === 0 ? (
            <Empty>
              <p>A maintenance window pauses checks, or mutes their alerts, while people work. Make one:</p>
              <pre>npx svc maintenance create --help</pre>
            </Empty>
          ) : (
            <>
              <Table
                name="Maintenance windows"
                rows={rows}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: "Name",
                    cell: ({ id, name }) => (
                      <PageLink page="editWindow" parameters={{ id }}>
                        <Text>{name}</Text>
                      </PageLink>
                    ),
                  },
                  {
                    title: "State",
                    cell: ({ active, nextStartsAt }) => (
                      <State
                        state={
                          active
                            ? { word: "In maintenance", mark: "quiet" }
                            : nextStartsAt === null
                              ? { word: "Over", mark: "good" }
                              : { word: "Planned", mark: "unknown" }
                        }
                      />
                    ),
                  },
                  {
                    title: "Next",
                    cell: ({ nextStartsAt }) =>
                      nextStartsAt === null ? (
                        "never"
                      ) : (
                        <time dateTime={nextStartsAt}>{instantText(nextStartsAt)}</time>
                      ),
                  },
                  { title: "Means", cell: ({ mode }) => MODES[mode] },
                  {
                    title: "Checks",
                    cell: ({ checkIds }) => (checkIds === "all" ? "all" : checkIds.length),
                  },
                  {
                    title: "Repeats",
                    cell: ({ recurrenceRule, timezone }) => (
                      <Text>{recurrenceRule === null ? "no" : `${recurrenceRule}, ${timezone}`}</Text>
                    ),
                  },
                ]}
              />
              <NextOccurrences />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

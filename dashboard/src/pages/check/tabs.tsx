/** The tabs of a check's page, in their order. */
import { useQuery } from "@tanstack/react-query";
import type { ComponentType } from "react";
import { alertsQuery } from "../../api/queries/alerts.ts";
import { SlotsFigure } from "../../slots/slots-figure.tsx";
import { alertStates } from "../../status/words.ts";
import { Ago } from "../../time/ago.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { State } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import { CodeTab } from "./code-tab.tsx";
import { ConfigTab } from "./config-tab.tsx";
import { OverviewTab } from "./overview-tab.tsx";
import { ResultsTab } from "./results-tab.tsx";
import { RulesOfCheck } from "./rules-of-check.tsx";
import type { TabProps } from "./tab-props.ts";

/** Cells of the slot strip where it has the page for itself. */
const CELLS = 400;

function SlotsTab({ check, range, nameOf }: TabProps) {
  return (
    <Panel title="Slots">
      <SlotsFigure check={check} range={range} cells={CELLS} nameOf={nameOf} />
    </Panel>
  );
}

function AlertsTab({ check }: TabProps) {
  const alerts = useQuery(alertsQuery({ checkId: check.id }));
  return (
    <>
      <RulesOfCheck checkId={check.id} />
      <Panel title="Alerts of this check">
        <Loaded query={alerts}>
          {({ instances }) =>
            instances.length === 0 ? (
              <Empty>No alert of this check has fired.</Empty>
            ) : (
              <ul className="plain">
                {instances.map((one) => (
                  <li key={one.id}>
                    <State state={alertStates[one.state]} />{" "}
                    <PageLink page="alert" parameters={{ id: one.id }}>
                      <Text>{one.ruleName ?? "Alert"}</Text>
                    </PageLink>{" "}
                    <Ago at={one.startedAt} />
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}

/** A tab with what it shows. */
interface CheckTab {
  readonly key: string;
  readonly title: string;
  readonly Content: ComponentType<TabProps>;
}

/** The tabs; the first one is open unless the address names another. */
export const TABS: readonly [CheckTab, ...CheckTab[]] = [
  { key: "overview", title: "Overview", Content: OverviewTab },
  { key: "results", title: "Results", Content: ResultsTab },
  { key: "slots", title: "Slots", Content: SlotsTab },
  { key: "alerts", title: "Alerts", Content: AlertsTab },
  { key: "config", title: "Config", Content: ConfigTab },
  { key: "code", title: "As code", Content: CodeTab },
];

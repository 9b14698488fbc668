/** The alert rules of a check: when each fires. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { rulesOfCheckQuery } from "../../api/queries/rules.ts";
import { useMayChange } from "../../shell/session.tsx";
import { conditionText } from "../../status/condition-text.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Empty, Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

/** Shows the rules, those that SLOs generated among them. */
export function RulesOfCheck({ checkId }: { checkId: string }) {
  const rules = useQuery(rulesOfCheckQuery(checkId));
  const mayChange = useMayChange();
  return (
    <Panel title="Alert rules">
      <Loaded query={rules}>
        {({ alerts }) =>
          alerts.length === 0 ? (
            <Empty>Nobody is notified when this check fails: it has no alert rule.</Empty>
          ) : (
            <ul className="plain">
              {alerts.map(({ id, name, enabled, conditions }) => (
                <li key={id}>
                  <PageLink page="rule" parameters={{ id }}>
                    <Text>{name ?? "Without a name"}</Text>
                  </PageLink>{" "}
                  <span className="quiet">
                    <Text>{conditions.map(conditionText).join(", and ")}</Text>
                    {!enabled && ", off"}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {mayChange && (
        <Link href={`${pagePath("newRule", {})}?check=${checkId}`} className="button">
          New alert rule
        </Link>
      )}
    </Panel>
  );
}

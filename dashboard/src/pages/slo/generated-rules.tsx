/** The alert rules that an SLO generated. */
import type { alertRuleRoutes } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { rulesOfCheckQuery } from "../../api/queries/rules.ts";
import type { Slo } from "../../api/queries/slos.ts";
import type { Answer } from "../../api/request.ts";
import { numberText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Loaded, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

type Rule = Answer<typeof alertRuleRoutes.listOfCheck>["alerts"][number];

/** Shows the rules with whom they notify, or why there are none. */
export function GeneratedRules({ slo }: { slo: Slo }) {
  const why = whyNone(slo);
  return (
    <Panel title="Generated alert rules">
      {why === undefined && slo.checkId !== null ? <Rules slo={slo} checkId={slo.checkId} /> : <p>{why}</p>}
    </Panel>
  );
}

function Rules({ slo, checkId }: { slo: Slo; checkId: string }) {
  const rules = useQuery(rulesOfCheckQuery(checkId));
  return (
    <Loaded query={rules}>
      {({ alerts }) => (
        <ul className="plain rules" aria-label="Generated alert rules">
          {alerts
            .filter(({ sloId }) => sloId === slo.id)
            .map(({ id, name, enabled, conditions, channels }) => (
              <li key={id}>
                <Text>{name ?? "Burn rate"}</Text>
                {!enabled && <span className="quiet"> (disabled)</span>}
                <p className="quiet">{conditions.map(conditionText).join(" and ")}</p>
                <p>
                  {channels.map((channel, i) => (
                    <span key={channel.id}>
                      {i > 0 && ", "}
                      <PageLink page="channel" parameters={{ id: channel.id }}>
                        <Text>{channel.name}</Text>
                      </PageLink>
                    </span>
                  ))}
                </p>
              </li>
            ))}
        </ul>
      )}
    </Loaded>
  );
}

/** Returns why an SLO has no rules on its check; undefined when it has some. */
function whyNone({ burnRateAlertsEnabled, channelIds, checkId }: Slo): string | undefined {
  if (!burnRateAlertsEnabled) return "Burn-rate alerts are switched off for this SLO.";
  if (channelIds.length === 0) return "There are none: the SLO names no channel to notify.";
  if (checkId === null)
    return `Fast and slow burn notify ${numberText(channelIds.length)} ${channelIds.length === 1 ? "channel" : "channels"}.`;
  return undefined;
}

function conditionText(condition: Rule["conditions"][number]): string {
  if (condition.type !== "burn_rate") return condition.type.replaceAll("_", " ");
  const { burnRateThreshold, longWindowMinutes, shortWindowMinutes } = condition;
  return `burn rate above ${burnRateThreshold} over ${minutesText(longWindowMinutes)} and over ${minutesText(shortWindowMinutes)}`;
}

function minutesText(minutes: number): string {
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}

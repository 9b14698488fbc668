/** What happened last: alerts, incidents, deployments and changes, newest first. */
import { pagePath } from "@svc/contract";
import { Link } from "wouter";
import type { OverviewAnswer } from "../../api/queries/overview.ts";
import { alertStates, incidentStates } from "../../status/words.ts";
import { Since } from "../../time/ago.tsx";
import { Empty, Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

type Entry = OverviewAnswer["latest"][number];

/** Shows the entries. */
export function Latest({ latest }: { latest: readonly Entry[] }) {
  return (
    <Panel title="Latest">
      {latest.length === 0 ? (
        <Empty>Nothing has happened yet.</Empty>
      ) : (
        <ul className="cards latest">
          {latest.map((entry) => (
            <li key={`${entry.kind} ${entry.id} ${entry.at}`}>
              <span className="quiet">{labelOf(entry)}</span>{" "}
              <Link href={pathOf(entry)}>
                <Text>{entry.name}</Text>
              </Link>
              <span className="quiet latest-when">
                <Since at={entry.at} /> ago
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function labelOf({ kind, what, type }: Entry): string {
  switch (kind) {
    case "alert":
      return `Alert ${wordOf(alertStates, what)}`;
    case "incident":
      return `Incident ${wordOf(incidentStates, what)}`;
    case "deployment":
      return "Deployment";
    case "change":
      return `${type === "slo" ? "SLO" : sentenceCase((type ?? "record").replaceAll("_", " "))} ${what}`;
  }
}

function wordOf(words: Readonly<Record<string, { word: string }>>, state: string): string {
  return (words[state]?.word ?? state).toLowerCase();
}

function sentenceCase(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function pathOf({ kind, id, type, what }: Entry): string {
  if (kind === "alert") return pagePath("alert", { id });
  if (kind === "incident") return pagePath("incident", { id });
  if (kind === "deployment") return pagePath("deployments", {});
  return type === "check" && what !== "deleted" ? pagePath("check", { id }) : pagePath("changes", {});
}

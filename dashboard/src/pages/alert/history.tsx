/** The history of an alert since it fired. */
import type { alertInstanceRoutes } from "@svc/contract";
import type { Answer } from "../../api/request.ts";
import { instantText } from "../../time/format.ts";
import { Panel } from "../../ui/panel.tsx";
import { Text } from "../../ui/text.tsx";

type Event = Answer<typeof alertInstanceRoutes.get>["events"][number];

const WORDS: Readonly<Record<Event["type"], string>> = {
  triggered: "It fired",
  acknowledged: "Acknowledged",
  recovered: "Recovered",
  resolved: "Resolved",
  escalated: "Severity rose",
  muted: "Muted",
  unmuted: "Unmuted",
  notified: "Notification written",
  held: "Held back",
  released: "Held back no longer",
};

/** Shows the events, oldest first. */
export function History({ events }: { events: readonly Event[] }) {
  return (
    <Panel title="What happened">
      <ol className="plain" aria-label="What happened">
        {events.map(({ id, type, createdAt, actorName }) => (
          <li key={id} className="card-head">
            <time dateTime={createdAt} className="quiet nowrap">
              {instantText(createdAt)}
            </time>
            <span>
              {WORDS[type]}
              {actorName !== null && (
                <>
                  {" by "}
                  <Text>{actorName}</Text>
                </>
              )}
            </span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

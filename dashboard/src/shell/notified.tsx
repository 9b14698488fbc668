/** Who was notified of an alert or an incident, with the outcome. */
import { useQuery } from "@tanstack/react-query";
import { notificationsQuery } from "../api/queries/notifications.ts";
import { deliveryStates } from "../status/words.ts";
import { instantText } from "../time/format.ts";
import { Empty, Loaded, Panel } from "../ui/panel.tsx";
import { State } from "../ui/state.tsx";
import { Text } from "../ui/text.tsx";

/** Shows the notifications that tell of a subject, newest first. @param props.nobody why nobody may have been notified */
export function Notified({ subjectId, nobody }: { subjectId: string; nobody: string }) {
  const notifications = useQuery(notificationsQuery(subjectId));
  return (
    <Panel title="Who was told">
      <Loaded query={notifications}>
        {({ notifications: all }) =>
          all.length === 0 ? (
            <Empty>{nobody}</Empty>
          ) : (
            <ul className="cards" aria-label="Who was told">
              {all.map((one) => (
                <li key={one.id}>
                  <p className="card-head">
                    <State state={deliveryStates[one.status]} />
                    <Text>{one.channelName}</Text>
                    <span className="quiet">{one.channelType}</span>
                    <span>{one.eventType.replaceAll("_", " ")}</span>
                    <time dateTime={one.createdAt} className="quiet">
                      {instantText(one.createdAt)}
                    </time>
                    {one.attempts > 1 && <span className="quiet">{one.attempts} attempts</span>}
                    {one.httpStatus !== null && <span className="quiet">HTTP {one.httpStatus}</span>}
                  </p>
                  {one.status !== "delivered" && one.error !== null && (
                    <p className="problem">
                      <Text>{one.error}</Text>
                    </p>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Everything that happened around an incident, in one order: a feed, the newest last. */
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { notificationsQuery } from "../../api/queries/notifications.ts";
import { instantText } from "../../time/format.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { Panel } from "../../ui/panel.tsx";
import { StateMark } from "../../ui/state.tsx";
import { Text } from "../../ui/text.tsx";
import { type TimelineEntry, timelineOf } from "./timeline-entries.ts";
import type { ShownAnnotation, Triage } from "./triage.ts";

/** Entries that are shown until all are asked for. */
const SHOWN = 60;

/** Returns the entries of the timeline, oldest first. */
export function useTimeline(
  { incident, events, alerts }: Triage,
  annotations: readonly ShownAnnotation[],
): TimelineEntry[] {
  const notifications = useQuery(notificationsQuery(incident.id)).data?.notifications ?? [];
  return timelineOf({ events, alerts, notifications, annotations });
}

/** Shows the entries. Of very many the newest, until all are asked for. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const feed = useRef<HTMLDivElement>(null);
  const hidden = showsAll ? 0 : Math.max(0, entries.length - SHOWN);
  const jump = () => {
    const newest = feed.current?.lastElementChild;
    if (!(newest instanceof HTMLElement)) return;
    newest.scrollIntoView({ block: "center" });
    newest.focus({ preventScroll: true });
  };
  return (
    <Panel title="Timeline">
      <div className="actions timeline-actions">
        {hidden > 0 && (
          <button type="button" className="quiet-button" onClick={() => setShowsAll(true)}>
            Show {hidden} earlier
          </button>
        )}
        {entries.length > 4 && (
          <button type="button" className="quiet-button" onClick={jump}>
            Jump to now
          </button>
        )}
      </div>
      <div role="feed" aria-label="Timeline" className="feed" ref={feed}>
        {entries.slice(hidden).map((entry, index) => (
          <Entry key={entry.key} entry={entry} position={hidden + index + 1} size={entries.length} />
        ))}
      </div>
    </Panel>
  );
}

function Entry({ entry, position, size }: { entry: TimelineEntry; position: number; size: number }) {
  const { at, kind, mark, text, by, body, alertId } = entry;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: articles of a feed take the focus one after the other
    <article aria-posinset={position} aria-setsize={size} aria-label={`${kind}: ${text}`} tabIndex={0}>
      <StateMark mark={mark} />
      <div>
        <p>
          {kind === "Note" ? <strong>Note</strong> : <Text>{text}</Text>}
          {by !== undefined && (
            <>
              {" by "}
              <Text>{by}</Text>
            </>
          )}
        </p>
        {body !== undefined && (
          <p className="feed-body">
            <Text>{body}</Text>
          </p>
        )}
        <p className="below">
          {kind !== "Note" && <span className="fact-about">{kind}</span>}{" "}
          <time dateTime={at}>{instantText(at)}</time>
          {alertId !== undefined && (
            <>
              {" "}
              <PageLink page="alert" parameters={{ id: alertId }}>
                The alert
              </PageLink>
            </>
          )}
        </p>
      </div>
    </article>
  );
}

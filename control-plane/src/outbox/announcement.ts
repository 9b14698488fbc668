/**
 * An announcement: what a notification says, worked out once for all channels. A channel only lays it out.
 */
import {
  type AlertInstanceId,
  type IncidentId,
  type LocationId,
  type Severity,
  withoutLineBreaks,
} from "@svc/contract";
import type { ChatSymbol, Effect } from "./effect.ts";
import type { Notification, ReportSubject } from "./payload.ts";

/** A label and its value, each on one line. */
export type Detail = readonly [label: string, value: string];

/** The contents of a notification in words that every channel can lay out. */
export interface Announcement {
  /** The notification itself, for channels that send data instead of words. */
  notification: Notification;
  /** One line that names the event, its subject and its severity. */
  title: string;
  /** A sentence or two for people. */
  summary: string;
  severity: Severity;
  /** True when the subject, or a part of it, is over. */
  isEnding: boolean;
  symbol: ChatSymbol;
  /** The check, SLO, incident, location or report that people read about, with its page. */
  subject: { name: string; url: string };
  details: Detail[];
  /** Pages to see more on; the first one is of the alert, incident or location itself. */
  links: { text: string; url: string }[];
  /** ISO 8601. */
  occurredAt: string;
  /** The alert, incident, location or report that one thread, page or ticket stands for. */
  threadId: IncidentId | AlertInstanceId | LocationId | ReportSubject;
  isFirstOfThread: boolean;
  effect: Effect;
  /** True when a ticket that exists takes the severity. */
  changesSeverity: boolean;
  /** True when a ticket that was resolved has to be worked on again. */
  reopens: boolean;
  /** Properties by which pager services group and route. */
  origin: { source: string; component: string; group: string; class: string };
  /** Data behind the announcement, by name. */
  evidence: Readonly<Record<string, unknown>>;
}

/** Returns the details whose value is known, each value on one line. */
export function knownDetails(details: readonly (readonly [label: string, value: string | null])[]): Detail[] {
  return details.flatMap(([label, value]) =>
    value === null || value === "" ? [] : [[label, withoutLineBreaks(value)] as const],
  );
}

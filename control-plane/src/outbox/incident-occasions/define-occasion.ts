/** The shape of an incident occasion: something about an incident that channels are notified of. */
import type {
  AlertInstanceId,
  ChannelAudience,
  FamilyMember,
  IncidentEventPayload,
  IncidentEventType,
  IncidentSnapshot,
  IncidentState,
} from "@svc/contract";
import type { ChatSymbol, Effect } from "../effect.ts";

/** The part of a notification's payload that the words of an occasion need. */
export interface OccasionPayload {
  payload: IncidentEventPayload;
  incident: Pick<IncidentSnapshot, "severity">;
  /** The first alerts that the occasion is about. */
  alerts: readonly { summary: string }[];
  /** Number of alerts that the occasion is about. */
  alertCount: number;
}

/** Fields of the example of an event, for whoever tries a channel out, that only some events have. */
interface OccasionExample {
  /** True when a person acted. */
  readonly isByUser?: true;
  /** State of the incident after the event. Default: open. */
  readonly state?: IncidentState;
  /** True when the event is about the example's alert. */
  readonly isAboutAlert?: true;
  /** Returns the fields that the event adds to its payload. */
  readonly detail?: (alert: { instanceId: AlertInstanceId }) => Partial<IncidentEventPayload>;
}

/** The properties that distinguish one occasion from another. */
export interface OccasionTraits {
  /**
   * The event whose payload is sent, for an occasion that is no event of the incident: notified of, but not stored and not
   * exported. Absent for events.
   */
  readonly standsFor?: IncidentEventType;
  /** Words that end a title: `incident opened`. */
  readonly words: string;
  readonly symbol: ChatSymbol;
  /** True when the notification is the first about its incident. */
  readonly beginsThread?: true;
  /** True when the payload names the alerts that the event is about as newly attached. */
  readonly attachesAlerts?: true;
  /** True when the incident, or some of its alerts, are over. */
  readonly isEnding?: true;
  /** Effect on a page or a ticket that stands for the incident. */
  readonly effect: Effect;
  /** True when a ticket that was resolved has to be worked on again. */
  readonly reopens?: (payload: OccasionPayload) => boolean;
  /** Audiences of the channels that are notified. */
  readonly audiences: readonly ChannelAudience[];
  /** Returns a sentence or two for people. Default: the summary of the hypothesis. */
  readonly summary?: (payload: OccasionPayload) => string;
  /** The example of the event. Default: an event of an open incident, by the system, about no alert. */
  readonly example?: OccasionExample;
}

/** One occasion: its type and its traits. */
export interface OccasionDefinition<Type extends string = string> extends FamilyMember, OccasionTraits {
  readonly type: Type;
}

/** Every audience. */
export const EVERYBODY: readonly ChannelAudience[] = ["machine", "people", "page", "ticket"];

/** Returns the definition of an occasion of this type. */
export function defineOccasion<const Type extends string, const Traits extends OccasionTraits>(
  type: Type,
  traits: Traits,
): { readonly type: Type } & Traits {
  return { type, ...traits };
}

/** Returns the alerts' own summaries as a phrase, and how many more there are. */
export function alertSummaries({ alerts, alertCount }: OccasionPayload): string {
  const summaries = alerts.map(({ summary }) => summary).join("; ");
  return alertCount > alerts.length ? `${summaries}; and ${alertCount - alerts.length} more` : summaries;
}

/** The shape of an incident occasion: something about an incident that channels are notified of. */
import type { ChannelAudience, FamilyMember, IncidentEventPayload, IncidentSnapshot } from "@svc/contract";
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

/** Everything that tells one occasion from another. */
export interface OccasionTraits {
  /** False for an occasion that is notified of but is no event of the incident: not stored, not exported. Default true. */
  readonly isEvent?: false;
  /** Words that end a title: `incident opened`. */
  readonly words: string;
  readonly symbol: ChatSymbol;
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
}

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

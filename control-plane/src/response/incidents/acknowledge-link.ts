/**
 * Links by which whoever reads a channel's messages acknowledges an incident, and does nothing else. A link names the incident, the
 * channel and the instant of its message, signed by the service. Nothing of it is stored: it is used up as soon as the incident's
 * state has changed after the message, by the link itself or by anybody.
 */
import { type ChannelConfig, type ChannelId, DAY_MS, type IncidentId, isId } from "@svc/contract";
import type { SecretBox } from "../../platform/db/secret-box.ts";
import type { IncidentRow } from "./row.ts";

/** Path of the page that a link opens. */
export const ACKNOWLEDGE_PATH = "/acknowledge";
/** Time within which a link may be used, from the instant that its message reports. */
export const ACKNOWLEDGE_LINK_LIFETIME_MS = DAY_MS;
const PURPOSE = "acknowledge-link";

/** The incident that a link acknowledges, the channel whose message has it, and the instant that the message reports. */
export interface AcknowledgeGrant {
  incidentId: IncidentId;
  channelId: ChannelId;
  /** Unix ms, control-plane clock. */
  issuedAtMs: number;
}

/**
 * The use of a link.
 * - `usable`: the incident waits to be acknowledged
 * - `acknowledged`: it has been since, by the link or otherwise
 * - `gone`: the link has expired, or the incident went on in another way
 */
export type AcknowledgeLinkState = "usable" | "acknowledged" | "gone";

/** True when the messages of the channel have links that acknowledge. */
export function hasAcknowledgeLinks(config: ChannelConfig): boolean {
  return "acknowledgeLinks" in config && config.acknowledgeLinks === true;
}

/** Returns the link of a grant: the same one for each attempt at a message. */
export function acknowledgeLinkOf(secrets: SecretBox, publicUrl: string, grant: AcknowledgeGrant): string {
  const text = [grant.incidentId, grant.channelId, grant.issuedAtMs].join(".");
  const token = `${text}.${secrets.sign(PURPOSE, text).toString("base64url")}`;
  return `${publicUrl}${ACKNOWLEDGE_PATH}?token=${token}`;
}

/** Returns the grant of a link's token; undefined when it is malformed or was altered. */
export function verifyAcknowledgeToken(secrets: SecretBox, token: string): AcknowledgeGrant | undefined {
  const [incidentId = "", channelId = "", issuedAt = "", signature = "", ...rest] = token.split(".");
  const text = [incidentId, channelId, issuedAt].join(".");
  if (rest.length > 0 || !secrets.hasSigned(PURPOSE, text, Buffer.from(signature, "base64url")))
    return undefined;
  if (!isId("incident", incidentId) || !isId("channel", channelId)) return undefined;
  return {
    incidentId: incidentId as IncidentId,
    channelId: channelId as ChannelId,
    issuedAtMs: Number(issuedAt),
  };
}

/**
 * Tells whether a link may be used. Pure.
 * @param lastChangeMs when the incident's state changed last, Unix ms; undefined: never
 */
export function stateOfLink(
  { issuedAtMs }: Pick<AcknowledgeGrant, "issuedAtMs">,
  { state, lastChangeMs }: Pick<IncidentRow, "state"> & { lastChangeMs: number | undefined },
  nowMs: number,
): AcknowledgeLinkState {
  if (nowMs >= issuedAtMs + ACKNOWLEDGE_LINK_LIFETIME_MS) return "gone";
  if (state === "acknowledged") return "acknowledged";
  return state === "open" && (lastChangeMs ?? 0) <= issuedAtMs ? "usable" : "gone";
}

/**
 * Sends to a ticketing system over ServiceNow's table API: a ticket when an incident opens, work notes while it
 * lasts, resolved when it ends. The ticket's correlation id identifies the incident, so that an attempt whose answer
 * was lost finds the ticket instead of making another.
 */
import { withoutTrailingSlashes } from "@svc/contract";
import type { Announcement } from "../announcement.ts";
import { type ConfigOf, defineSender } from "./sender.ts";
import { changeOf, makesTicket, type TicketFields, ticketOf } from "./ticket-fields.ts";
import { changeTicket, createTicket, findTicket, type TicketTable } from "./ticket-table.ts";

/** The changes that one notification makes to a ticket. */
export interface TicketMessage extends TicketTable {
  correlationId: string;
  /** Fields of a ticket that is made; null when this notification makes none. */
  ticket: TicketFields | null;
  /** Changes to a ticket that exists. */
  change: TicketFields;
}

/** Creates or changes the one ticket of an incident. The ticket's id is remembered between notifications. */
export const ticketing = defineSender("ticketing", {
  render: (announcement: Announcement, config): TicketMessage => ({
    ...tableOf(config),
    correlationId: announcement.threadId,
    ticket: makesTicket(announcement) ? ticketOf(announcement, config.assignmentGroup) : null,
    change: changeOf(announcement),
  }),
  send: async (message, context) => {
    const known = context.externalId ?? (await findTicket(message, message.correlationId, context));
    if (known !== undefined) return changeTicket(message, { id: known, change: message.change }, context);
    if (message.ticket === null) return { httpStatus: null, note: "there is no ticket to change" };
    return createTicket(message, message.ticket, context);
  },
});

function tableOf({ instanceUrl, username, password }: ConfigOf<"ticketing">): TicketTable {
  return {
    tableUrl: `${withoutTrailingSlashes(instanceUrl.replace(/[?#].*$/, ""))}/api/now/table/incident`,
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`,
  };
}

/** ServiceNow's table API: finds, creates and changes tickets. */
import { type ChannelRequest, sendRequest } from "./http-request.ts";
import { type SendContext, SendError, type SendReport } from "./sender.ts";
import type { TicketFields } from "./ticket-fields.ts";

/** Address of the incident table, and the credentials for it. */
export interface TicketTable {
  tableUrl: string;
  authorization: string;
}

/** Returns the id of the ticket with this correlation id; undefined when there is none. */
export async function findTicket(
  table: TicketTable,
  correlationId: string,
  context: SendContext,
): Promise<string | undefined> {
  const query = new URLSearchParams({
    sysparm_query: `correlation_id=${correlationId}`,
    sysparm_fields: "sys_id",
    sysparm_limit: "1",
  });
  const answer = await request(table, { url: `${table.tableUrl}?${query}`, method: "GET" }, context);
  const { result } = answer.json as { result?: { sys_id?: unknown }[] };
  const id = Array.isArray(result) ? result[0]?.sys_id : undefined;
  return typeof id === "string" ? id : undefined;
}

/** Creates a ticket. */
export async function createTicket(
  table: TicketTable,
  body: TicketFields,
  context: SendContext,
): Promise<SendReport> {
  const answer = await request(table, { url: table.tableUrl, method: "POST", body }, context);
  const { result } = answer.json as { result?: { sys_id?: unknown } };
  if (typeof result?.sys_id !== "string")
    throw new SendError("the ticketing system's answer names no ticket", {
      mayRetry: false,
      httpStatus: answer.status,
    });
  return { httpStatus: answer.status, externalId: result.sys_id };
}

/** Changes the ticket with this id. */
export async function changeTicket(
  table: TicketTable,
  { id, change }: { id: string; change: TicketFields },
  context: SendContext,
): Promise<SendReport> {
  const url = `${table.tableUrl}/${encodeURIComponent(id)}`;
  const answer = await request(table, { url, method: "PATCH", body: change }, context);
  return { httpStatus: answer.status, externalId: id };
}

async function request(
  { authorization }: TicketTable,
  { url, method, body }: ChannelRequest,
  context: SendContext,
): Promise<{ status: number; json: unknown }> {
  const headers = { Authorization: authorization, Accept: "application/json" };
  const answer = await sendRequest(context, { url, method, headers, body });
  try {
    return { status: answer.status, json: JSON.parse(answer.body.toString("utf8")) ?? {} };
  } catch (error) {
    // An instance that hibernates, or a mistaken address, answers 200 with a page.
    throw new SendError("the ticketing system did not answer with JSON; is instanceUrl right?", {
      mayRetry: true,
      httpStatus: answer.status,
      cause: error,
    });
  }
}

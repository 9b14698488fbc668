/** A webhook's other side, as fast as can be: keeps when it was notified of which alert instance. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";

/** Starts the receiver. */
export async function startAlertReceiver() {
  /** By alert instance. */
  const notifiedAt = new Map<string, number>();
  const state = { requests: 0, notifiedTwice: 0 };
  const server = http.createServer(async (request, response) => {
    const atMs = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end("ok");
    state.requests++;
    for (const instanceId of instancesBegun(JSON.parse(Buffer.concat(chunks).toString())))
      if (notifiedAt.has(instanceId)) state.notifiedTwice++;
      else notifiedAt.set(instanceId, atMs);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(state, {
    notifiedAt,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

/** The alerts whose beginning a body tells, of either shape. */
function instancesBegun(body: {
  alert?: { id: string };
  event?: {
    eventType: string;
    payload: { memberAlertInstanceIds: string[]; attachedAlertInstanceIds?: string[] };
  };
}): string[] {
  if (body.alert) return [body.alert.id];
  if (body.event?.eventType === "opened") return body.event.payload.memberAlertInstanceIds;
  return body.event?.payload.attachedAlertInstanceIds ?? [];
}

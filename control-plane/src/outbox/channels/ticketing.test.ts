import { describe, expect, it } from "vitest";
import {
  anAnnouncement,
  aSendContext,
  type NotificationOverrides,
} from "../../../test-support/notifications.ts";
import { aReceiver, type Received } from "../../../test-support/receivers.ts";
import { ticketing } from "./ticketing.ts";

const config = {
  type: "ticketing" as const,
  instanceUrl: "http://127.0.0.1:1",
  username: "svc",
  password: "päss:word",
  assignmentGroup: "web",
};

/** A table API with the tickets that it holds. */
async function aTicketSystem(tickets: { sys_id: string; correlation_id: string }[] = []) {
  const answer = ({ method, path, body }: Received) => {
    const json = (status: number, result: unknown) => ({ status, body: JSON.stringify({ result }) });
    if (method === "GET") {
      const wanted = /correlation_id=([^&]*)/.exec(decodeURIComponent(path))?.[1];
      return json(
        200,
        tickets.filter((ticket) => ticket.correlation_id === wanted),
      );
    }
    if (method === "POST") {
      const ticket = { sys_id: `sys${tickets.length + 1}`, correlation_id: body.correlation_id };
      tickets.push(ticket);
      return json(201, ticket);
    }
    return json(200, {});
  };
  return { ...(await aReceiver(answer)), tickets };
}

const send = (url: string, kind: NotificationOverrides, externalId?: string) =>
  ticketing.send(
    ticketing.render(anAnnouncement(kind), { ...config, instanceUrl: `${url}/` }),
    aSendContext({ externalId }),
  );

describe("an alert's ticket", () => {
  it("is made when the alert triggers, by basic authentication, for the assignment group", async () => {
    const system = await aTicketSystem();
    expect(await send(system.url, {})).toEqual({ httpStatus: 201, externalId: "sys1" });
    const made = system.received.at(-1);
    expect(made).toMatchObject({ method: "POST", path: "/api/now/table/incident" });
    expect(made?.headers.authorization).toBe(`Basic ${Buffer.from("svc:päss:word").toString("base64")}`);
    expect(made?.body).toMatchObject({
      short_description: "[CRITICAL] Home page: alert triggered",
      impact: "1",
      urgency: "1",
      correlation_id: "ainst_01h2xcejqtf2nbrexx3vqjhp41",
      assignment_group: "web",
    });
    expect(made?.body.description).toContain("Alert: https://svc.example/alerts/");
  });

  it("is found again when the answer to its creation was lost: there is one ticket", async () => {
    const system = await aTicketSystem();
    await send(system.url, {});
    expect(await send(system.url, {})).toEqual({ httpStatus: 200, externalId: "sys1" });
    expect(system.tickets).toHaveLength(1);
    const [change] = system.received.filter(({ method }) => method === "PATCH");
    expect(Object.keys(change?.body ?? {})).toEqual(["work_notes"]);
  });

  it.each([
    ["acknowledged", { work_notes: expect.stringContaining("alert acknowledged") }],
    ["escalated", { work_notes: expect.any(String), impact: "1", urgency: "1" }],
    ["recovered", { state: "6", close_code: "Solution provided", close_notes: expect.any(String) }],
    ["resolved", { state: "6", close_code: "Solution provided", close_notes: expect.any(String) }],
  ] as const)("is changed when the alert is %s, by the id that is remembered", async (kind, change) => {
    const system = await aTicketSystem();
    expect(await send(system.url, { kind }, "sys7")).toEqual({ httpStatus: 200, externalId: "sys7" });
    expect(system.received).toMatchObject([
      { method: "PATCH", path: "/api/now/table/incident/sys7", body: change },
    ]);
  });

  it("that was never made needs no end", async () => {
    const system = await aTicketSystem();
    expect(await send(system.url, { kind: "recovered" })).toEqual({
      httpStatus: null,
      note: "there is no ticket to change",
    });
    expect(system.received.map((request) => request.method)).toEqual(["GET"]);
  });
});

it("a page in place of JSON is reported as such and retried", async () => {
  const receiver = await aReceiver(() => ({ status: 200, body: "<html>hibernating</html>" }));
  await expect(send(receiver.url, {})).rejects.toMatchObject({
    message: "the ticketing system did not answer with JSON; is instanceUrl right?",
    mayRetry: true,
  });
});

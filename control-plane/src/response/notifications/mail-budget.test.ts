import { newId } from "@svc/contract";
import { expect, it, onTestFinished } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { CHANNELS_PATH } from "../../../test-support/notification-test.ts";
import { aMailServer } from "../../../test-support/receivers.ts";
import { registerChannelRoutes } from "../../outbox/channels/routes.ts";
import { createDeliveryTools } from "./delivery-tools.ts";
import { MailBudget } from "./mail-budget.ts";
import { registerNotificationRoutes } from "./routes.ts";

let test: TestApp;

/** Starts a service that sends by a mail server, and a budget of three emails an hour. Returns what the mail server gets. */
async function aServiceWithMail(): Promise<readonly unknown[]> {
  const server = await aMailServer();
  test = await createTestApp({
    settings: { SVC_SMTP_URL: server.url, SVC_SMTP_FROM: "svc@example.com", SVC_CAP_MAILS_PER_HOUR: "3" },
    register: (app, services) => {
      registerChannelRoutes(app, services);
      registerNotificationRoutes(app, services, createDeliveryTools(services));
    },
  });
  onTestFinished(() => test.close());
  return server.mails;
}

async function testChannel(name: string) {
  const channel = { type: "email", addresses: ["ada@example.org", "bob@example.org"] };
  const { id } = (await test.call("POST", CHANNELS_PATH, { name, channel })).body.channel;
  const { delivery } = (await test.call("POST", `${CHANNELS_PATH}/${id}/test`)).body;
  const { deliveries } = (await test.call("GET", `${CHANNELS_PATH}/${id}/deliveries`)).body;
  expect(deliveries[0]).toEqual(delivery);
  return delivery;
}

it("emails beyond a team's budget are not sent, and recorded with the reason; another team sends its own", async () => {
  const mails = await aServiceWithMail();
  expect((await testChannel("One")).status).toBe("delivered");
  expect((await testChannel("Two")).status).toBe("delivered");
  const refused = await testChannel("Three");
  expect(refused.status).toBe("failed");
  expect(refused.error).toMatch(
    /^not sent: the team has sent its 3 emails of an hour.*SVC_CAP_MAILS_PER_HOUR/,
  );
  expect(mails).toHaveLength(2);
  test.team = await test.createTeam();
  expect((await testChannel("Four")).status).toBe("delivered");
});

it("the budget grows again with time", () => {
  let nowMs = 0;
  const team = newId("team");
  const budget = new MailBudget(3600, () => nowMs);
  budget.spend(team, 3700);
  expect(() => budget.spend(team, 1)).toThrow("not sent");
  nowMs += 101_100;
  budget.spend(team, 1);
  expect(() => budget.spend(team, 1)).toThrow("not sent");
});

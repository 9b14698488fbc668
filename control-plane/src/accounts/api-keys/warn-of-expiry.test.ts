import { DAY_MS } from "@svc/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestApp, type TestApp, type TestTeam } from "../../../test-support/app.ts";
import { addPerson, addSession } from "../../../test-support/people.ts";
import { registerApiKeyRoutes } from "./routes.ts";
import { type PlainMail, warnOfExpiringKeys } from "./warn-of-expiry.ts";

let test: TestApp;
let team: TestTeam;
let mails: PlainMail[];
beforeAll(async () => {
  test = await createTestApp({ register: registerApiKeyRoutes });
});
beforeEach(async () => {
  await test.services.knex("apiKeys").delete();
  team = await test.createTeam();
  mails = [];
});
afterAll(() => test.close());

const warn = (sendMail = async (mail: PlainMail) => void mails.push(mail)) =>
  warnOfExpiringKeys(test.services, sendMail);
/** Makes a key that ends after this time. */
async function aKey(livesMs: number, by: Record<string, string> = team.bySession): Promise<string> {
  const expiresAt = new Date(test.clock.nowMs() + livesMs).toISOString();
  return (await test.call("POST", "/api/api-keys", { name: "CI", expiresAt }, by)).body.key.id;
}
const shown = async (id: string) => {
  // The team's own session has expired when a key is about to.
  const bySession = await addSession(test, team);
  const { keys } = (await test.call("GET", "/api/api-keys", undefined, { ...bySession })).body;
  return keys.find((key: { id: string }) => key.id === id);
};
const recorded = () =>
  test.services.knex("auditEntries").where({ action: "api_key.expiring", teamId: team.teamId });

describe("the warning of a key's end", () => {
  it("comes a week before, once, in the audit log, the list and the mail of the person who made the key", async () => {
    const { bySession, email, userId } = await addPerson(test, { teamId: team.teamId, role: "member" });
    const id = await aKey(30 * DAY_MS, bySession);
    test.clock.advance(23 * DAY_MS - 1);
    await warn();
    expect([mails, await recorded(), (await shown(id)).expiryWarnedAt]).toEqual([[], [], null]);
    test.clock.advance(1);
    await Promise.all([warn(), warn()]);
    await warn();
    expect(mails).toEqual([
      {
        id: `${id}.expiring`,
        to: [email],
        subject: expect.stringMatching(/^API key CI of Test team ends on 2026-/),
        lines: expect.any(Array),
      },
    ]);
    expect(await recorded()).toEqual([
      expect.objectContaining({
        resourceId: id,
        resourceName: "CI",
        actorName: "svc",
        actorKind: "operator",
      }),
    ]);
    expect(await shown(id)).toMatchObject({
      createdBy: userId,
      createdByName: email,
      expiryWarnedAt: new Date(test.clock.nowMs()).toISOString(),
    });
  });

  it("goes to the owners once the person who made the key has left", async () => {
    const { bySession, userId } = await addPerson(test, { teamId: team.teamId, role: "member" });
    await aKey(8 * DAY_MS, bySession);
    await test.services.knex("memberships").where({ userId }).delete();
    test.clock.advance(2 * DAY_MS);
    await warn();
    expect(mails.map(({ to }) => to)).toEqual([[`${team.userId}@example.com`]]);
  });

  it("is left out for keys without an end, with a short life, and for those that have ended", async () => {
    await test.call("POST", "/api/api-keys", {}, team.bySession);
    await aKey(7 * DAY_MS);
    await aKey(8 * DAY_MS);
    test.clock.advance(8 * DAY_MS);
    await warn();
    expect([mails, await recorded()]).toEqual([[], []]);
  });

  it("is shown and recorded where mail is not set up or fails", async () => {
    const ids = [await aKey(8 * DAY_MS), await aKey(8 * DAY_MS)];
    test.clock.advance(2 * DAY_MS);
    await warn(() => Promise.reject(new Error("away")));
    await warnOfExpiringKeys(test.services, undefined);
    expect(await recorded()).toHaveLength(2);
    for (const id of ids) expect((await shown(id)).expiryWarnedAt).not.toBeNull();
  });

  it("comes for any number of keys", async () => {
    for (let n = 0; n < 101; n++) await aKey(8 * DAY_MS);
    test.clock.advance(2 * DAY_MS);
    await warn();
    expect(mails).toHaveLength(101);
  });
});

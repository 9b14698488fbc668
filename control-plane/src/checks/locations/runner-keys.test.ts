import { describe, expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { createLocation, useChecksApp } from "../../../test-support/checks-app.ts";
import { hashToken } from "../../accounts/identity/tokens.ts";

let test: TestApp;
useChecksApp((app) => {
  test = app;
});

describe("runner keys", () => {
  it("the secret is shown once and stored as its hash", async () => {
    const { id } = await createLocation(test);
    const created = await test.call("POST", `/api/locations/${id}/keys`, { name: "  rack 1 " });
    expect(created.status).toBe(201);
    const { secret, ...rest } = created.body.key;
    expect(secret).toMatch(/^rk_[0-9a-f]{64}$/);
    expect(rest).toEqual({
      id: expect.stringMatching(/^rkey_/),
      name: "rack 1",
      keyPrefix: secret.slice(0, 11),
      lastUsedAt: null,
      createdAt: new Date(test.clock.nowMs()).toISOString(),
    });
    const listed = await test.call("GET", `/api/locations/${id}/keys`);
    expect(listed.body).toEqual({ keys: [rest] });
    const stored = await test.services.knex("runnerKeys").where({ id: rest.id }).first();
    expect(stored.keyHash).toEqual(hashToken(secret));
  });

  it("a key without a body or name is an Untitled Key", async () => {
    const { id } = await createLocation(test);
    for (const body of [undefined, { name: "   " }]) {
      const { body: answer } = await test.call("POST", `/api/locations/${id}/keys`, body);
      expect(answer.key.name).toBe("Untitled Key");
    }
  });

  it("two keys may live at a time, also when three are asked for at once", async () => {
    const { id } = await createLocation(test);
    const create = () => test.call("POST", `/api/locations/${id}/keys`, {});
    const statuses = (await Promise.all([create(), create(), create()]))
      .map((answer) => answer.status)
      .sort();
    expect(statuses).toEqual([201, 201, 409]);
    const { body } = await test.call("GET", `/api/locations/${id}/keys`);
    await test.call("DELETE", `/api/locations/${id}/keys/${body.keys[0].id}`);
    expect((await create()).status).toBe(201);
  });

  it("a deleted key is gone, and the second time it is not found", async () => {
    const { id } = await createLocation(test);
    const { body } = await test.call("POST", `/api/locations/${id}/keys`, {});
    const remove = () => test.call("DELETE", `/api/locations/${id}/keys/${body.key.id}`);
    expect((await remove()).body).toEqual({ success: true });
    expect((await remove()).body).toEqual({ error: "Runner key not found" });
  });

  it("a key of another location of the same team is not found", async () => {
    const [first, second] = [await createLocation(test, "first"), await createLocation(test, "second")];
    const { body } = await test.call("POST", `/api/locations/${first.id}/keys`, {});
    const answer = await test.call("DELETE", `/api/locations/${second.id}/keys/${body.key.id}`);
    expect(answer.status).toBe(404);
  });
});

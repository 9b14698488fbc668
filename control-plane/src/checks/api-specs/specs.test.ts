import { newId } from "@svc/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestApp, TestTeam } from "../../../test-support/app.ts";
import { aCheck } from "../../../test-support/builders.ts";
import {
  aDocument,
  checkUsing,
  conformance,
  createSpecTest,
  OK,
  type SpecTest,
} from "../../../test-support/specs.ts";
import { loadChecksFor } from "../../fleet/check-documents.ts";

let test: TestApp;
let createSpec: SpecTest["createSpec"];
beforeAll(async () => {
  ({ app: test, createSpec } = await createSpecTest());
});
afterAll(() => test.close());

describe("changing", () => {
  it("new content replaces the document, and the checks that use it get a new revision", async () => {
    const { knex } = test.services;
    const spec = await createSpec();
    const using = (await test.call("POST", "/api/checks", checkUsing(spec.id))).body.check;
    const bystander = (await test.call("POST", "/api/checks", aCheck())).body.check;
    const revisionOf = async (id: string) => (await knex("checks").where({ id }).first("revision")).revision;
    const before = [await revisionOf(using.id), await revisionOf(bystander.id)];
    const content = JSON.stringify(aDocument({ paths: { "/pets": { get: OK } } }));
    const changed = await test.call("PUT", `/api/specs/${spec.id}`, { content });
    expect(changed.body.spec).toMatchObject({
      operationCount: 1,
      name: spec.name,
      updatedAt: expect.any(String),
    });
    expect(await revisionOf(using.id)).toBeGreaterThan(before[0]);
    expect(await revisionOf(bystander.id)).toBe(before[1]);
    const settled = await revisionOf(using.id);
    await test.call("PUT", `/api/specs/${spec.id}`, { content });
    expect(await revisionOf(using.id)).toBe(settled);
  });

  it("what was read can be put back, and a name alone renames", async () => {
    const spec = await createSpec();
    expect((await test.call("PUT", `/api/specs/${spec.id}`, spec)).status).toBe(200);
    const renamed = await test.call("PUT", `/api/specs/${spec.id}`, { name: `${spec.name} again` });
    expect(renamed.body.spec).toMatchObject({ name: `${spec.name} again`, sourceType: "upload" });
  });

  it("content together with a URL is refused", async () => {
    const spec = await createSpec();
    const both = { content: "x", sourceUrl: "https://example.com/x" };
    expect((await test.call("PUT", `/api/specs/${spec.id}`, both)).status).toBe(400);
  });
});

describe("deleting", () => {
  it("is refused while an assertion of a browser check's step uses it; such a check is revised and sent the document, too", async () => {
    const spec = await createSpec();
    const bodyUsing = (specId: string) => ({
      name: "Flow",
      type: "browser",
      locations: ["loc_us_east"],
      browserConfig: {
        browserMode: "scripted",
        script: "// @step: Open",
        steps: [{ name: "Open", assertions: [{ type: "openapi_conformance", specId }] }],
      },
    });
    const unknownId = newId("spec");
    const unknown = await test.call("POST", "/api/checks", bodyUsing(unknownId));
    expect(unknown).toMatchObject({ status: 400, body: { error: "Validation failed" } });
    expect(JSON.stringify(unknown.body.details)).toContain(
      `steps[0].assertions[0].specId: there is no spec ${unknownId}`,
    );
    const { check } = (await test.call("POST", "/api/checks", bodyUsing(spec.id))).body;
    const { knex, secrets, log } = test.services;
    const read = async () => {
      const { key, revision } = await knex("checks").where({ id: check.id }).first();
      const sent = (await loadChecksFor({ knex, secrets, log }, [key], undefined)).get(key);
      return { revision, apiSpecs: sent?.apiSpecs.map(({ specId }) => specId) };
    };
    const before = await read();
    expect(before.apiSpecs).toEqual([spec.id]);
    const content = JSON.stringify(aDocument({ paths: { "/pets": { get: OK } } }));
    await test.call("PUT", `/api/specs/${spec.id}`, { content });
    expect((await read()).revision).toBeGreaterThan(before.revision);
    expect((await test.call("DELETE", `/api/specs/${spec.id}`)).status).toBe(409);
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect((await test.call("DELETE", `/api/specs/${spec.id}`)).status).toBe(200);
  });

  it("is refused while an assertion uses it, naming the check; then works once", async () => {
    const spec = await createSpec();
    const { check } = (await test.call("POST", "/api/checks", checkUsing(spec.id, { name: "User" }))).body;
    const refused = await test.call("DELETE", `/api/specs/${spec.id}`);
    expect([refused.status, refused.body.error]).toEqual([
      409,
      `Spec ${spec.name} is used by an assertion of the check "User"`,
    ]);
    await test.call("DELETE", `/api/checks/${check.id}`);
    expect((await test.call("DELETE", `/api/specs/${spec.id}`)).body).toEqual({ success: true });
    expect((await test.call("DELETE", `/api/specs/${spec.id}`)).body).toEqual({ error: "Spec not found" });
  });

  it("and taking into use at once: never a check on a spec that is gone", async () => {
    for (let i = 0; i < 5; i++) {
      const spec = await createSpec();
      const [created, deleted] = await Promise.all([
        test.call("POST", "/api/checks", checkUsing(spec.id)),
        test.call("DELETE", `/api/specs/${spec.id}`),
      ]);
      expect([`201 409`, `400 200`]).toContain(`${created.status} ${deleted.status}`);
    }
  });
});

describe("the change log", () => {
  const entries = async (team: TestTeam) =>
    (await test.call("GET", "/api/changes?type=spec", undefined, team.byKey)).body.changes;

  it("says who stored, changed and deleted a spec, and which fields became what", async () => {
    const team = await test.createTeam();
    const spec = await createSpec(aDocument(), team);
    const call = (method: "PUT" | "DELETE", body?: object) =>
      test.call(method, `/api/specs/${spec.id}`, body, team.bySession);
    const content = JSON.stringify(aDocument({ info: { title: "Pets", version: "2.0" } }));
    await call("PUT", { content });
    await call("PUT", { content });
    await call("DELETE");
    const [deleted, updated, created, ...more] = await entries(team);
    expect(more).toEqual([]);
    const common = { type: "spec", resourceId: spec.id, name: spec.name };
    expect(created).toMatchObject({ ...common, action: "created", source: "api", actor: team.apiKeyId });
    expect(updated).toMatchObject({ ...common, action: "updated", source: "ui", actor: team.userId });
    expect(updated.changedFields.map(({ field }: { field: string }) => field).sort()).toEqual([
      "contentSha256",
      "version",
    ]);
    expect(updated.changedFields).toContainEqual({ field: "version", oldValue: "1.0", newValue: "2.0" });
    expect(deleted).toMatchObject({ ...common, action: "deleted", actor: team.userId });
  });

  it("holds nothing of what was refused", async () => {
    const team = await test.createTeam();
    const [one, two] = [await createSpec(aDocument(), team), await createSpec(aDocument(), team)];
    await test.call("PUT", `/api/specs/${one.id}`, { name: two.name }, team.byKey);
    await test.call(
      "POST",
      "/api/specs",
      { sourceType: "upload", name: one.name, content: "{}" },
      team.byKey,
    );
    expect((await entries(team)).map(({ action }: { action: string }) => action)).toEqual([
      "created",
      "created",
    ]);
  });
});

describe("checks that name a spec", () => {
  it("which the team does not have are refused, on create and on update", async () => {
    const foreign = await createSpec(aDocument(), await test.createTeam());
    for (const specId of [newId("spec"), foreign.id]) {
      const created = await test.call("POST", "/api/checks", checkUsing(specId));
      expect(created.body.details?.fieldErrors).toEqual({
        httpConfig: [`assertions[0].specId: there is no spec ${specId}`],
      });
      const { check } = (await test.call("POST", "/api/checks", aCheck())).body;
      const configJson = { ...check.configJson, assertions: [conformance(specId)] };
      const updated = await test.call("PUT", `/api/checks/${check.id}`, { configJson });
      expect(updated.body.details?.fieldErrors).toEqual({
        configJson: [`assertions[0].specId: there is no spec ${specId}`],
      });
    }
  });
});

it.each([
  ["GET", ""],
  ["PUT", ""],
  ["DELETE", ""],
  ["POST", "/generate-checks"],
] as const)("%s %s of another team's spec is not found", async (method, path) => {
  const spec = await createSpec();
  const other = await test.createTeam();
  const payload =
    method === "POST" ? { locations: ["loc_us_east"] } : method === "PUT" ? { name: "x" } : undefined;
  for (const id of [spec.id, newId("check"), "spec_x"]) {
    const answer = await test.call(method, `/api/specs/${id}${path}`, payload, other.byKey);
    expect([answer.status, answer.body]).toEqual([404, { error: "Spec not found" }]);
  }
});

import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTestApp, type TestApp } from "../../../test-support/app.ts";
import { aDocument, createSpecTest, type SpecTest } from "../../../test-support/specs.ts";
import { registerCheckRoutes } from "../routes.ts";
import { registerSpecRoutes } from "./routes.ts";

let test: TestApp;
let dialled: SpecTest["dialled"];
beforeAll(async () => {
  ({ app: test, dialled } = await createSpecTest());
});
afterAll(() => test.close());

/** A loopback server and a loader that may reach it. */
async function withLoader(answer: (request: http.IncomingMessage, response: http.ServerResponse) => void) {
  const server = http.createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const loading = await createTestApp({
    register: async (app, services) => {
      registerCheckRoutes(app, services, []);
      await registerSpecRoutes(app, services);
    },
    settings: { SVC_SPEC_LOADER_PRIVATE: "allow" },
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await loading.close();
  });
  return { test: loading, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/openapi.json` };
}

describe("loading from a URL", () => {
  it("private addresses and credentials are refused, and nothing is dialled", async () => {
    for (const [sourceUrl, message] of [
      ["http://127.0.0.1/openapi.json", "SVC_SPEC_LOADER_PRIVATE=allow"],
      ["http://10.0.0.1/openapi.json", "SVC_SPEC_LOADER_PRIVATE=allow"],
      ["http://user:hunter2@example.com/openapi.json", "user name or password"],
      ["http://169.254.169.254/latest", "can't be changed"],
    ]) {
      const { status, body } = await test.call("POST", "/api/specs", { sourceType: "url", sourceUrl });
      expect([status, body.details.fieldErrors.sourceUrl]).toEqual([
        400,
        [expect.stringContaining(message ?? "")],
      ]);
      expect(JSON.stringify(body)).not.toContain("hunter2");
    }
    expect(dialled).toEqual([]);
  });

  it("what the URL serves is stored; relative servers are those of the URL", async () => {
    const { test: loading, url } = await withLoader((_, response) =>
      response.end(JSON.stringify(aDocument({ servers: [{ url: "/v2" }] }))),
    );
    const created = await loading.call("POST", "/api/specs", { sourceType: "url", sourceUrl: url });
    expect(created.body.spec).toMatchObject({ sourceType: "url", sourceUrl: url, operationCount: 2 });
    const { operations } = (await loading.call("GET", `/api/specs/${created.body.spec.id}`)).body;
    expect(operations[0].servers).toEqual([`${new URL(url).origin}/v2`]);
  });

  it("an empty PUT fetches again; another answer than 200 changes nothing", async () => {
    let answer = [200, JSON.stringify(aDocument())] as [number, string];
    const { test: loading, url } = await withLoader((_, response) =>
      response.writeHead(answer[0]).end(answer[1]),
    );
    const { spec } = (await loading.call("POST", "/api/specs", { sourceType: "url", sourceUrl: url })).body;
    answer = [200, JSON.stringify(aDocument({ info: { title: "Pets", version: "2.0" } }))];
    expect((await loading.call("PUT", `/api/specs/${spec.id}`)).body.spec).toMatchObject({ version: "2.0" });
    answer = [503, "later"];
    const refused = await loading.call("PUT", `/api/specs/${spec.id}`, {});
    expect(refused.body.details.fieldErrors.sourceUrl).toEqual([
      "the document could not be loaded: the server answered 503",
    ]);
    expect((await loading.call("GET", `/api/specs/${spec.id}`)).body.spec.version).toBe("2.0");
  });
});

/** Tests of API specs: an app with their routes, and documents to store in it. */
import type { Assertion, Id, Spec } from "@svc/contract";
import { expect } from "vitest";
import { registerChangeRoutes } from "../src/accounts/change-log/routes.ts";
import { createSpecTools } from "../src/checks/api-specs/document.ts";
import { registerSpecRoutes } from "../src/checks/api-specs/routes.ts";
import { seedHostedLocations } from "../src/checks/locations/seed.ts";
import { registerCheckRoutes } from "../src/checks/routes.ts";
import { createTestApp, type TestApp, type TestTeam } from "./app.ts";
import { aCheck } from "./builders.ts";

/** An app whose spec loader reaches nothing. Close the app. */
export interface SpecTest {
  app: TestApp;
  /** Addresses that the loader dialled. */
  dialled: readonly string[];
  /** Uploads a document under a name of its own; default: {@link aDocument}, of the app's first team. */
  createSpec(document?: unknown, team?: TestTeam): Promise<Spec>;
}

/** Starts the app. */
export async function createSpecTest(): Promise<SpecTest> {
  const dialled: string[] = [];
  const app = await createTestApp({
    register: async (api, services) => {
      registerCheckRoutes(api, services, []);
      registerChangeRoutes(api, services);
      const tools = createSpecTools(services.config, {
        connect: ({ host }) => {
          dialled.push(host);
          throw new Error("no packet may leave");
        },
      });
      await registerSpecRoutes(api, services, { tools });
    },
  });
  await seedHostedLocations(app.services.knex);
  let count = 0;
  return {
    app,
    dialled,
    async createSpec(document = aDocument(), team = app.team) {
      const name = `Spec ${++count}`;
      const content = typeof document === "string" ? document : JSON.stringify(document);
      const body = { sourceType: "upload", name, content };
      const answer = await app.call("POST", "/api/specs", body, team.byKey);
      expect([answer.status, answer.body.details]).toEqual([201, undefined]);
      return answer.body.spec;
    },
  };
}

/** Responses of an operation that answers 200. */
export const OK = { responses: { 200: { description: "ok" } } };

/** A document with two operations of one path. */
export function aDocument(parts: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1.0" },
    servers: [{ url: "https://pets.example.com/v1" }],
    paths: { "/pets": { get: OK, post: OK } },
    ...parts,
  };
}

/** An assertion that a response conforms to a spec. */
export function conformance(specId: string, operationPath = "GET /pets"): Assertion {
  return { type: "openapi_conformance", specId: specId as Id<"spec">, operationPath, validateHeaders: false };
}

/** A check with such an assertion. */
export function checkUsing(specId: string, overrides = {}) {
  return aCheck({
    httpConfig: { url: "http://127.0.0.1:9/", assertions: [conformance(specId)] },
    ...overrides,
  });
}

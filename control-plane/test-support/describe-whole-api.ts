/** Makes the OpenAPI document of the whole service, without a database. */
import { pino } from "pino";
import { Registry } from "prom-client";
import { controlAccess } from "../src/accounts/identity/access.ts";
import { createServices } from "../src/app/create-services.ts";
import { type RouteParts, registerRoutes } from "../src/app/register-routes.ts";
import { LiveHubs } from "../src/live/live-hubs.ts";
import { parseConfig } from "../src/platform/config.ts";
import { openPool } from "../src/platform/db/pool.ts";
import { createServer } from "../src/platform/http/server.ts";

/** Returns the document as JSON. */
export async function describeWholeApi(): Promise<string> {
  const config = parseConfig({
    SVC_PUBLIC_URL: "http://127.0.0.1:8080",
    DATABASE_URL: "postgres://127.0.0.1:1/none",
    SVC_SECRET_KEY: "a-secret-key-that-only-tests-use-0123456789",
  });
  const log = pino({ level: "silent" });
  // The pool connects when it is first asked something, which never happens here.
  const knex = openPool(config.databaseUrl ?? "", { poolMax: 1 });
  const services = createServices(config, { knex, log });
  const app = await createServer(services, { lifecycle: { state: { status: "ready" } }, controlAccess });
  // Routes are described and never called, so the parts that their handlers work with are not needed.
  const live = new LiveHubs(services, { registry: new Registry() });
  const parts = { fleetServices: {}, deliveryTools: {}, live } as RouteParts;
  await registerRoutes(app, services, parts);
  await app.ready();
  const text = app.apiDescription();
  await app.close();
  await knex.destroy();
  return text;
}

/** Every route asked with every credential, compared with the table of docs/access.md. */
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { credentialMakers } from "../../test-support/access-credentials.ts";
import { type AccessRecords, bodiesOf, someAccessRecords } from "../../test-support/access-records.ts";
import { type AccessRow, accessTable } from "../../test-support/access-table.ts";
import { createTestApp, type TestApp, type TestTeam } from "../../test-support/app.ts";
import { seedHostedLocations } from "../checks/locations/seed.ts";
import { LiveHubs } from "../live/live-hubs.ts";
import { createDeliveryTools } from "../response/notifications/delivery-tools.ts";
import { createFleetServices } from "./fleet-services.ts";
import { registerRoutes } from "./register-routes.ts";

/** Credentials from the strongest to the weakest: where a record is deleted, the first one finds it. */
const OWN = ["session, owner", "session, member", "key, member", "session, viewer", "key, viewer"];
const OTHERS = ["none", "display", "runner key", "dispatch token", "foreign key", "foreign session"];
/** Answers of credentials that are not let in to a record. */
const REFUSALS = ["401", "role", "session", "display", "404"];

type Headers = Record<string, string>;

const rows = accessTable("access-routes");
/** Rows in the order in which they are asked: what deletes a record comes last, and inner records before outer ones. */
const inOrder = [...rows].sort((a, b) => weightOf(a) - weightOf(b));
function weightOf({ name }: AccessRow): number {
  // Rules and SLOs end with their check.
  if (name === "DELETE /api/checks/:id") return 1_000;
  return name.startsWith("DELETE") ? 1_000 - name.length : 0;
}

let test: TestApp;
let own: TestTeam;
let records: AccessRecords;
let makers: Record<string, () => Promise<Headers>>;

beforeAll(async () => {
  test = await createTestApp({
    settings: {
      SVC_OIDC_ISSUER: "http://127.0.0.1:9",
      SVC_OIDC_CLIENT_ID: "id",
      SVC_OIDC_CLIENT_SECRET: "secret",
    },
    register: async (app, services) => {
      const fleetServices = createFleetServices(services, { version: "test", registry: new Registry() });
      // A stream has no end; a replica that stops lets nobody begin one, after it has looked at the credential.
      const live = new LiveHubs(services, { registry: new Registry() });
      await live.close();
      await registerRoutes(app, services, {
        fleetServices,
        deliveryTools: createDeliveryTools(services),
        live,
      });
    },
  });
  await seedHostedLocations(test.services.knex);
  own = test.team;
  records = await someAccessRecords(test, own);
  makers = credentialMakers(test, { own, foreign: await test.createTeam() });
});
afterAll(() => test?.close());

/** Asks a route for the team's record that its path names. */
async function ask({ name, answers }: AccessRow, headers: Headers) {
  const [method = "GET", path = ""] = name.split(" ");
  const url = path
    .replace("/*", "/")
    .replaceAll(
      /:\w+/g,
      (_, at: number) =>
        records[path.slice(0, at)] ?? (answers.none === "yes" ? "any" : `no record for ${name}`),
    );
  const body = method === "GET" || method === "DELETE" ? undefined : (bodiesOf(records)[name] ?? {});
  return test.call(method as "GET", url, body, headers);
}

/** Returns the answer in the words of the table. */
function wordOf({ status, body }: Awaited<ReturnType<typeof ask>>): string {
  if (status === 401) return "401";
  if (status === 404) return "404";
  if (status === 403 && body.code === "role_required") return "role";
  if (status === 403 && body.code === "display_only") return "display";
  if (status === 403 && /session (authentication required|is needed)/i.test(body.error)) return "session";
  return "yes";
}

/** Returns the table's answer of a credential. */
function expectedOf({ name, answers }: AccessRow, credential: string): string {
  const answer = answers[credential];
  if (answer === undefined) throw new Error(`${name} has no answer for the credential "${credential}"`);
  return answer;
}

describe("the table of routes", () => {
  it("has a row for every route of the service, and no other", () => {
    const registered = routesOf(test.app.printRoutes({ commonPrefix: false }))
      .filter((route) => /^(GET|POST|PUT|DELETE|PATCH) /.test(route))
      .map((route) => route.replace(/ \/docs.*/, " /docs/*"))
      // The framework's tree leaves out the text before a wildcard: these are the dashboard's files.
      .map((route) => (route === "GET /*" ? "GET /assets/*" : route));
    expect(rows.length).toBeGreaterThan(100);
    // Without a built dashboard its files are missing.
    const expected = rows.filter(({ name }) => name !== "GET /assets/*" || registered.includes(name));
    expect(expected.map(({ name }) => name).sort()).toEqual([...new Set(registered)].sort());
  });

  it("has a column for every credential", () => {
    for (const row of rows) expect(Object.keys(row.answers)).toEqual(Object.keys(makers));
    expect([...OWN, ...OTHERS].sort()).toEqual(Object.keys(makers).sort());
  });
});

describe("what is refused", () => {
  let before: string;
  let credentials: Record<string, Headers>;
  beforeAll(async () => {
    credentials = Object.fromEntries(
      await Promise.all(Object.entries(makers).map(async ([name, make]) => [name, await make()] as const)),
    );
    before = await contents();
  });

  it.each(inOrder)("$name", async (row) => {
    for (const [credential, headers] of Object.entries(credentials)) {
      const expected = expectedOf(row, credential);
      if (!REFUSALS.includes(expected)) continue;
      const answer = await ask(row, headers);
      expect(`${credential}: ${wordOf(answer)}`, JSON.stringify(answer.body)).toBe(
        `${credential}: ${expected}`,
      );
    }
  });

  it("changes nothing", async () => expect(await contents()).toBe(before));
});

describe("what is let in", () => {
  it.each(inOrder)("$name", async (row) => {
    let withNone: number | undefined;
    for (const [at, credential] of [...OWN, ...OTHERS].entries()) {
      const expected = expectedOf(row, credential);
      if (REFUSALS.includes(expected)) continue;
      const answer = await ask(row, await (makers[credential] as () => Promise<Headers>)());
      const word = wordOf(answer);
      const context = `${credential}: ${answer.status} ${JSON.stringify(answer.body)}`;
      if (row.answers.none === "yes") {
        // A public route asks for no credential: none makes a difference.
        withNone ??= answer.status;
        expect(answer.status, context).toBe(withNone);
      } else if (at === 0) expect(word, context).toBe("yes");
      else expect(["yes", "404"], context).toContain(word);
      if (expected === "own")
        for (const id of idsOf(records)) expect(JSON.stringify(answer.body)).not.toContain(id);
    }
  });
});

/** Returns the routes of the framework's tree of paths, each as `GET /path`. */
function routesOf(tree: string): string[] {
  const path: string[] = [];
  return tree.split("\n").flatMap((line) => {
    const [, indent = "", segment = "", methods] = /^([│ ]*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line) ?? [];
    path.splice(indent.length / 4, Number.POSITIVE_INFINITY, segment);
    return methods?.split(", ").map((method) => `${method} ${path.join("")}`) ?? [];
  });
}

/** Ids of the team's records; names are left out. */
function idsOf(all: AccessRecords): string[] {
  return Object.values(all).filter((value) => value.includes("_"));
}

/** Tables that requests write to without changing a record: when and from where a credential was used, and refused sign-ins. */
const OF_USE = [
  "api_keys",
  "api_key_addresses",
  "display_links",
  "display_link_addresses",
  "sessions",
  "memberships",
  "runner_keys",
  "audit_entries",
  "derived_events",
];

/** Returns a digest of all rows of the database but those of {@link OF_USE}. */
async function contents(): Promise<string> {
  const { knex } = test.services;
  const { rows: tables } = await knex.raw(
    `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition
       AND relnamespace = 'public'::regnamespace AND relname <> ALL(?) ORDER BY relname`,
    [OF_USE],
  );
  const digests = [];
  for (const { name } of tables) {
    const digest = await knex.raw(`SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) AS md5 FROM ?? t`, [
      name,
    ]);
    digests.push(`${name} ${digest.rows[0].md5}`);
  }
  return digests.join("\n");
}

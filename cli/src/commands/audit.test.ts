import { expect, it } from "vitest";
import { runSvc } from "../../test-support/run-svc.ts";

const entry = {
  id: "aud_1",
  action: "api_key.created",
  actor: "usr_1",
  actorKind: "user",
  actorName: "olive@example.com",
  via: "ui",
  address: "192.0.2.1",
  userAgent: "Mozilla/5.0",
  resourceId: "key_1",
  resourceName: "CI",
  detail: { role: "viewer" },
  createdAt: "2026-06-01T11:00:00.000Z",
};

async function audit(...args: string[]) {
  const asked: string[] = [];
  const fetch = async (input: unknown) => {
    asked.push(new URL(String(input)).search);
    return Response.json({ entries: [entry, { ...entry, actorName: null }], limit: 20, offset: 0 });
  };
  return { asked, ...(await runSvc(["audit", ...args], { env: { SVC_API_KEY: "sk_test" }, fetch })) };
}

it("shows time, action, who, way, address, record and facts of an entry; an actor without a name is shown by its id", async () => {
  const { code, stdout } = await audit();
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /1h ago +api_key.created +olive@example.com +ui +192.0.2.1 +CI role=viewer\n.*usr_1 +ui/,
  );
});

it("leaves the filters to the service", async () => {
  const filters = ["--actor", "usr_1", "--action", "api_key.created", "--from", "2026-06-01T00:00:00Z"];
  const { asked, json } = await audit(...filters, "--json");
  expect([...new URLSearchParams(asked[0])].sort()).toEqual(
    Object.entries({
      action: "api_key.created",
      actor: "usr_1",
      from: "2026-06-01T00:00:00Z",
      limit: "20",
    }),
  );
  expect(json().data.entries[0].id).toBe("aud_1");
});

it("refuses an action that there is not, without asking the service", async () => {
  const { code, asked } = await audit("--action", "coffee.made");
  expect([code, asked]).toEqual([1, []]);
});

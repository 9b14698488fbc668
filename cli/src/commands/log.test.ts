import { expect, it } from "vitest";
import { runSvc } from "../../test-support/run-svc.ts";

const change = {
  id: "chg_1",
  action: "updated",
  type: "check",
  resourceId: "chk_1",
  name: "Home",
  source: "yaml",
  actor: null,
  actorName: null,
  createdAt: "2026-06-01T11:00:00.000Z",
  changedFields: [{ field: "frequencySeconds", oldValue: 60, newValue: 30 }],
};

async function log(...args: string[]) {
  const asked: string[] = [];
  const fetch = async (input: unknown) => {
    asked.push(new URL(String(input)).search);
    return Response.json({ changes: [change, { ...change, name: null }], limit: 20, offset: 0 });
  };
  return { asked, ...(await runSvc(["log", ...args], { env: { SVC_API_KEY: "sk_test" }, fetch })) };
}

it("shows time, action, type, name, source and fields of a change; a record without a name is shown by its id", async () => {
  const { code, stdout } = await log();
  expect(code).toBe(0);
  expect(stdout).toMatch(/1h ago +updated +check +Home +yaml +frequencySeconds\n.*chk_1 +yaml/);
});

it("leaves the filters to the service", async () => {
  const { asked, json } = await log("--type", "check", "--name", "ome", "--source", "yaml", "--json");
  expect([...new URLSearchParams(asked[0])].sort()).toEqual(
    Object.entries({ limit: "20", name: "ome", source: "yaml", type: "check" }),
  );
  expect(json().data.changes[0].id).toBe("chg_1");
  expect((await log("--limit", "200", "--offset", "7")).asked).toEqual(["?limit=200&offset=7"]);
});

it.each([
  [["--offset", "1", "--name", "x"], "can't be combined"],
  [["--limit", "201"], "from 1 to 200"],
  [["--limit", "0"], "from 1 to 200"],
  [["--type", "location"], "check, alert, slo, channel"],
  [["--source", "mail"], "ui, yaml, api"],
])("refuses %j without asking the service", async (args, message) => {
  const { code, stderr, asked } = await log(...args);
  expect([code, asked]).toEqual([1, []]);
  expect(stderr).toContain(message);
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { testFolder } from "../../../test-support/run-svc.ts";
import { svcWith } from "../../../test-support/svc-with.ts";

let folder: ReturnType<typeof testFolder>;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const token = { id: "sec_1", name: "TOKEN", createdAt: "2026-05-01T00:00:00.000Z", updatedAt: null };
const answers = {
  "GET /api/secrets": { secrets: [token] },
  "POST /api/secrets": { secret: { ...token, id: "sec_2", name: "OTHER" } },
  "PUT /api/secrets/sec_1": { secret: token },
  "DELETE /api/secrets/sec_1": { success: true },
};
const svc = (args: readonly string[], stdin?: string) =>
  svcWith(answers, args, { cwd: folder.path, ...(stdin === undefined ? {} : { stdin }) });

describe("svc secrets", () => {
  it("list shows names, never values", async () => {
    expect((await svc(["secrets", "list"])).stdout).toMatch(/NAME +CHANGED +ID\nTOKEN +.* +sec_1/);
    expect((await svc(["secrets", "list", "--json"])).json().data).toEqual({ secrets: [token] });
  });

  it("set takes the value from stdin, without its last line break, and prints it nowhere", async () => {
    const stored = await svc(["secrets", "set", "OTHER"], "hush\nhush\n");
    expect(stored.changes).toEqual([
      { route: "POST /api/secrets", body: { name: "OTHER", value: "hush\nhush" } },
    ]);
    const changed = await svc(["secrets", "set", "TOKEN", "--json", "--verbose"], "hush");
    expect(changed.changes).toEqual([{ route: "PUT /api/secrets/sec_1", body: { value: "hush" } }]);
    expect(changed.json().data).toEqual({ secret: token, created: false });
    for (const { stdout, stderr } of [stored, changed]) expect(stdout + stderr).not.toContain("hush");
  });

  it.each([
    [["secrets", "set", "TOKEN"], undefined, "read from stdin"],
    [["secrets", "set", "TOKEN"], "\n", "stdin is empty"],
    [["secrets", "set", "API-TOKEN"], "v", "can't be the name"],
    [["secrets", "delete", "TOKN", "--yes"], undefined, 'did you mean "TOKEN"?'],
  ])("%j with stdin %j is refused", async (args, stdin, message) => {
    const { code, stderr, changes } = await svc(args, stdin);
    expect([code, changes]).toEqual([1, []]);
    expect(stderr).toContain(message);
  });

  it("delete asks the service, which refuses while a check uses it", async () => {
    expect((await svc(["secrets", "delete", "TOKEN", "--yes"])).changes).toEqual([
      "DELETE /api/secrets/sec_1",
    ]);
  });
});

describe("a config that refers to a secret", () => {
  const config = (name: string) => `project: shop
monitors:
  - name: Orders
    type: http
    url: http://127.0.0.1:9/
    locations: [loc_us_east]
    headers: { Authorization: "Bearer {{vault.${name}}}" }
`;
  const write = (name: string) => writeFileSync(join(folder.path, "svc.config.yaml"), config(name));

  it("is valid as it stands", async () => {
    write("TOKEN");
    expect(await svc(["validate"])).toMatchObject({ code: 0 });
  });

  it("is not run by svc test, which says where the value is", async () => {
    write("TOKEN");
    const { stdout, code } = await svc(["test"]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining("Orders  not run here: the value of {{vault.TOKEN}} is kept in the service"),
    ]);
  });

  it("is refused by diff and deploy when the team has no such secret", async () => {
    write("TOKN");
    for (const command of [["diff"], ["deploy"]]) {
      const { code, stderr, changes } = await svc(command);
      expect([code, changes]).toEqual([1, []]);
      expect(stderr).toContain("Orders: headers.Authorization: there is no secret TOKN; did you mean TOKEN?");
    }
  });
});

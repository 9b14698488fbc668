import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { svcWith } from "../../../test-support/svc-with.ts";

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "svc-page-"));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const answers = {
  "POST /api/status-pages": (body: unknown) => ({
    status: 201,
    body: { statusPage: { id: "stp_1", slug: "shop", ...(body as object) } },
  }),
};
function create(file: string, ...flags: string[]) {
  writeFileSync(join(cwd, "page.yaml"), file);
  const args = ["status-pages", "create", "shop", "--title", "Shop", "--file", "page.yaml", ...flags];
  return svcWith(answers, args, { cwd });
}

it.each([
  ["isPublished: true", [], true],
  ["published: true", [], true],
  ["published: false", [], false],
  ["isPublished: true", ["--no-publish"], false],
  ["published: false", ["--publish"], true],
])("a file with %s, and the flags %j, give a page with isPublished %j", async (file, flags, isPublished) => {
  const { changes } = await create(`${file}\n`, ...flags);
  expect(changes).toEqual([
    { route: "POST /api/status-pages", body: { slug: "shop", title: "Shop", isPublished } },
  ]);
});

it("a file with both names of the field is refused", async () => {
  const { code, stderr, changes } = await create("published: true\nisPublished: true\n");
  expect([code, changes]).toEqual([1, []]);
  expect(stderr).toContain("published is the former name of isPublished");
});

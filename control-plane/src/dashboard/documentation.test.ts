import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApp, type TestApp } from "../../test-support/app.ts";
import { servedMarkdown } from "./documentation.ts";
import { registerDocumentation } from "./documentation-routes.ts";

describe("a page as it is served", () => {
  const served = new Set(["cli.md"]);
  it.each([
    ["a link to a served page", "see [it](cli.md#plan)", "see [it](cli.md#plan)"],
    ["a link within the page", "[above](#top)", "[above](#top)"],
    ["a link to another site", "[RFC](https://rfc.example/1)", "[RFC](https://rfc.example/1)"],
    ["a link into the repository", "see [deploy](../deploy/README.md#x).", "see deploy."],
    ["a link to a page that is not served", "[layers](architecture.md)", "layers"],
    ["a picture", "![A wall](images/wall.png)", "A wall"],
    ["a generated table", "<!-- generated:x -->\n| A |\n<!-- /generated -->\nend", "| A |\nend"],
    ["a block of code", "```md\n[x](../y.md)\n```\n[x](../y.md)", "```md\n[x](../y.md)\n```\nx"],
  ])("%s", (_title, markdown, text) => {
    expect(servedMarkdown(markdown, served)).toBe(text);
  });
});

describe("the routes", () => {
  let test: TestApp;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "svc-docs-"));
    writeFileSync(
      join(folder, "llms-index.txt"),
      "# svc\n\n- [All](/docs/llms.txt)\n- [CLI](/docs/cli.md): it\n",
    );
    writeFileSync(join(folder, "llms.txt"), "# svc\n\n[CLI](/docs/cli.md)\n");
    writeFileSync(join(folder, "cli.md"), "# The command line\n");
    writeFileSync(join(folder, "private.md"), "# Not listed\n");
    const publicUrl = () => "https://svc.example";
    test = await createTestApp({ register: (app) => registerDocumentation(app, { publicUrl, folder }) });
  });
  afterAll(async () => {
    await test.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["/llms.txt", "text/plain; charset=utf-8", "- [CLI](https://svc.example/docs/cli.md): it"],
    ["/docs/llms.txt", "text/plain; charset=utf-8", "[CLI](https://svc.example/docs/cli.md)"],
    ["/docs/cli.md", "text/markdown; charset=utf-8", "# The command line"],
  ])("%s is %s, and is not sent again while it is the same", async (path, type, content) => {
    const first = await test.app.inject(path);
    expect([first.statusCode, first.headers["content-type"]]).toEqual([200, type]);
    expect(first.headers["cache-control"]).toBe("public, max-age=3600");
    expect(first.body).toContain(content);
    const headers = { "if-none-match": String(first.headers.etag) };
    const again = await test.app.inject({ url: path, headers });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
  });

  it("a file that the index does not name is not served", async () => {
    expect((await test.app.inject("/docs/private.md")).statusCode).toBe(404);
  });

  it("an installation without the pages says so", async () => {
    const publicUrl = () => "https://svc.example";
    const bare = await createTestApp({
      register: (app) => registerDocumentation(app, { publicUrl, folder: undefined }),
    });
    const answer = await bare.call("GET", "/llms.txt");
    expect([answer.status, answer.body.error]).toEqual([503, expect.stringContaining("/api/openapi.json")]);
    await bare.close();
  });
});

/** The documentation that a control plane serves as text: every link leads somewhere, every example is one that is run. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ControlPlane } from "../harness/control-plane.ts";
import { isRunnable, readDocsExamples } from "../harness/docs-examples.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";

const PAGE_BYTES_MAX = 200 * 1024;
const TYPES = {
  txt: "text/plain; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  "openapi.json": "application/json; charset=utf-8",
  "schema.json": "application/schema+json; charset=utf-8",
};

let stack: TestStack;
let controlPlane: ControlPlane;
beforeAll(async () => {
  stack = await startTestStack();
  controlPlane = await stack.controlPlane();
});
afterAll(() => stack[Symbol.asyncDispose](), 60_000);

async function read(path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(new URL(path, controlPlane.url), { headers });
  expect([path, response.status]).toEqual([path, 200]);
  return await response.text();
}

/** Returns the targets of the links of a text, blocks of code left out. */
function linksOf(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to as string);
}

test("the index has the form of llms.txt, and each of its links answers a text of the right type", async () => {
  const index = await read("/llms.txt");
  expect(index).toMatch(/^# svc\n\n> .+\n\n/);
  const items = index.split("\n").filter((line) => line.startsWith("- "));
  for (const item of items) expect(item).toMatch(/^- \[[^\]]+\]\(http\S+\): \S.+$/);
  const links = linksOf(index);
  expect(links.length).toBe(items.length);
  expect(links.length).toBeGreaterThan(30);
  for (const link of links) {
    expect(link.startsWith(`${controlPlane.url}/`)).toBe(true);
    const response = await fetch(link);
    const [, type] = Object.entries(TYPES).find(([ending]) => link.endsWith(ending)) ?? [];
    expect([link, response.status, response.headers.get("content-type")]).toEqual([link, 200, type]);
    expect((await response.text()).length).toBeGreaterThan(200);
  }
});

test("each page's links lead to a page that is served, and to a heading that it has", async () => {
  const pages = linksOf(await read("/llms.txt")).filter((link) => /\.(md|txt)$/.test(link));
  const texts = new Map<string, string>();
  for (const page of pages) texts.set(new URL(page).pathname, await read(page));
  const broken: string[] = [];
  for (const [path, text] of texts)
    for (const link of linksOf(text)) {
      const to = new URL(link, controlPlane.url + path);
      if (to.origin !== controlPlane.url) continue;
      const target = texts.get(to.pathname);
      if (target === undefined || !(to.hash === "" || anchorsOf(target).has(to.hash.slice(1))))
        broken.push(`${path}: ${link}`);
    }
  expect(broken).toEqual([]);
});

test("the page with everything is bounded, and each example in it is one that the tests of the documentation run", async () => {
  const text = await read("/docs/llms.txt");
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(PAGE_BYTES_MAX);
  const runnable = new Set(
    readDocsExamples().flatMap(({ examples }) => examples.filter(isRunnable).map(({ script }) => script)),
  );
  const shown = [...text.matchAll(/^```sh (.*)\n([\s\S]*?)^```$/gm)];
  expect(shown.length).toBeGreaterThan(8);
  for (const [, mark, script = ""] of shown) expect([mark, runnable.has(script)]).toEqual(["runnable", true]);
});

test("a text is the same for everybody, and holds no key", async () => {
  const credentials = { authorization: `Bearer ${controlPlane.apiKey}` };
  for (const path of ["/llms.txt", "/docs/llms.txt", "/docs/people.md"]) {
    const text = await read(path);
    expect(await read(path, credentials)).toBe(text);
    expect(text).not.toMatch(/(sk|rk)_[0-9a-f]{16}/);
  }
});

/** Returns the anchors of a page's headings, as Markdown renderers make them. */
function anchorsOf(markdown: string): Set<string> {
  const headings = markdown.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, title = ""]) =>
      title
        .replaceAll(/[`*]/g, "")
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** Tests that links between pages, and files of the code that the docs name, exist. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../harness/control-plane.ts";
import { readProjectFiles } from "../harness/project-files.ts";

const tracked = readProjectFiles();
const pages = tracked.filter((file) => file.endsWith(".md") && !file.startsWith(".github/"));
const textOf = (page: string) => readFileSync(join(ROOT, page), "utf8");

/** Returns the anchors of a page as GitHub makes them from its headings. */
function anchorsOf(page: string): Set<string> {
  const headings = [...textOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\- _]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

test.each(pages)("%s: each link leads to a file and a heading", (page) => {
  const broken = [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, target))) return true;
      return anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).has(anchor);
    });
  expect(broken).toEqual([]);
});

/** Pages that name files as examples of what could be. */
const HYPOTHETICAL = new Set(["docs/develop/adding-a-member.md", "docs/develop/glossary.md"]);

test.each(pages.filter((page) => !HYPOTHETICAL.has(page)))(
  "%s: each source file that it names exists",
  (page) => {
    const named = [...textOf(page).matchAll(/`([\w./-]+\.(?:ts|tsx|mjs|cjs|proto|binpb))`/g)]
      .map(([, path = ""]) => path)
      .filter((path) => path.includes("/"));
    const missing = named.filter(
      (path) => !tracked.some((file) => file === path || file.endsWith(`/${path}`)),
    );
    expect(missing).toEqual([]);
  },
);

/**
 * The documentation as text, for programs and whatever reads for people: the pages in Markdown, an index of them and one text with all that
 * is needed to act (https://llmstxt.org). The files come with the control plane, so that they describe what runs.
 */
import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folders that may hold the pages: that of an installed control plane, and that of a checkout. */
const FOLDERS = import.meta.url.endsWith(".ts") ? ["../../../docs/"] : ["../docs/", "../../docs/"];

/** File of the index, which names every page that is served. */
const INDEX_FILE = "llms-index.txt";
const INDEX_LINK = /\]\(\/docs\/([\w-]+\.md)\)/g;

/** One text of the documentation. */
export interface DocumentationText {
  /** Path below the service's URL. */
  path: string;
  contentType: string;
  /**
   * Reads the text.
   * @param publicUrl address of the service, to which links of the index lead
   */
  read(publicUrl: string): Promise<string>;
}

/** Returns the folder with the pages; undefined in an installation that lacks them. */
export function findDocumentation(): string | undefined {
  return FOLDERS.map((folder) => fileURLToPath(new URL(folder, import.meta.url))).find((folder) =>
    existsSync(join(folder, INDEX_FILE)),
  );
}

/** Returns the texts of the documentation in a folder: the index, the one with everything, and each page that the index names. */
export function documentationTexts(folder: string): DocumentationText[] {
  const pages = [...readFileSync(join(folder, INDEX_FILE), "utf8").matchAll(INDEX_LINK)].map(
    ([, page]) => page as string,
  );
  const served = new Set(pages);
  const plain = (path: string, file: string): DocumentationText => ({
    path,
    contentType: "text/plain; charset=utf-8",
    read: async (publicUrl) =>
      (await readFile(join(folder, file), "utf8")).replaceAll("](/", `](${publicUrl}/`),
  });
  return [
    plain("/llms.txt", INDEX_FILE),
    plain("/docs/llms.txt", "llms.txt"),
    ...pages.map((page) => ({
      path: `/docs/${page}`,
      contentType: "text/markdown; charset=utf-8",
      read: async () => servedMarkdown(await readFile(join(folder, page), "utf8"), served),
    })),
  ];
}

/** A block of code, which is left as it is, or a link. */
const BLOCK_OR_LINK = /^```[\s\S]*?^```$|!?\[([^\]]*)\]\(([^)\s]+)\)/gm;

/**
 * Returns a page as it is served: its links lead to other served pages or to other sites. Of a link into the repository the words remain,
 * and of a generated table the markers go. Pure.
 * @param served names of the served pages, such as `cli.md`
 */
export function servedMarkdown(markdown: string, served: ReadonlySet<string>): string {
  return markdown
    .replaceAll(/^<!-- \/?generated.* -->\n/gm, "")
    .replaceAll(BLOCK_OR_LINK, (found, words: string | undefined, to = "") =>
      words === undefined || leadsOn(to, served) ? found : words,
    );
}

/** True for a link that leads somewhere from a served page. */
function leadsOn(to: string, served: ReadonlySet<string>): boolean {
  return /^(https?:|#)/.test(to) || served.has(to.replace(/#.*$/, ""));
}

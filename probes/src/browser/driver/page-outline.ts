/** Describes a page by its roles and names, as a screen reader meets it, for somebody who can't see it. */
import type { Page } from "playwright";
import { PAGE_OUTLINE_CHARACTERS_MAX } from "../protocol/limits.ts";

const READ_LIMIT_MS = 2_500;

/** Returns address, title and the accessibility tree of a page as lines of YAML, cut where they become too long. */
export async function outlineOf(page: Page): Promise<string> {
  const title = await page.title();
  const tree = await page.locator("body").ariaSnapshot({ timeout: READ_LIMIT_MS });
  return [`url: ${page.url()}`, `title: ${title}`, tree].join("\n").slice(0, PAGE_OUTLINE_CHARACTERS_MAX);
}

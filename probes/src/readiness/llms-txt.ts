import { defineReadinessProbe } from "./define.ts";
import { judged, servedText } from "./served.ts";

const NAME = "/llms.txt";

/**
 * Looks for llms.txt (https://llmstxt.org): Markdown that begins with an H1 naming the site and links to the pages
 * worth reading.
 */
export const llmsTxt = defineReadinessProbe("llms_txt", (site) =>
  servedText(NAME, site.fetch(NAME), ({ text }) => {
    const [first = ""] = /^.*\S.*$/m.exec(text.replace(/^\ufeff/, "")) ?? [];
    const links = text.match(/\]\([^)\s]/g)?.length ?? 0;
    const problems: string[] = [];
    if (!/^#\s+\S/.test(first)) problems.push('its first line is not a heading of the form "# Name"');
    if (links === 0) problems.push("it links to nothing");
    return judged(NAME, `${NAME} has a title and ${links} links`, problems);
  }),
);

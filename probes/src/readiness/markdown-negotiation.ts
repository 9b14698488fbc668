import { defineReadinessProbe } from "./define.ts";
import { isHtml } from "./served.ts";

/**
 * Looks whether the watched page is offered as Markdown to clients that ask for it by Accept, as AI agents do to save
 * tokens.
 */
export const markdownNegotiation = defineReadinessProbe("markdown_negotiation", async (site) => {
  const page = await site.pageDocument();
  if (page.kind !== "served" || !isHtml(page))
    return { status: "skipped", summary: "the page is not HTML that was served" };
  const document = await site.fetch(site.page.href, "text/markdown");
  if (document.kind === "unreachable")
    return { status: "fail", summary: `the page could not be fetched as Markdown: ${document.message}` };
  if (document.kind === "missing")
    return {
      status: "missing",
      summary: `the page is not offered as Markdown (status ${document.httpStatusCode})`,
    };
  if (!document.contentType.startsWith("text/markdown"))
    return {
      status: "missing",
      summary: `asked for Markdown, the page is answered as ${document.contentType || "no type"}`,
    };
  if (isHtml(document)) return { status: "fail", summary: "what is labelled Markdown is HTML" };
  const variesByAccept = /\baccept\b|\*/i.test(document.header("vary") ?? "");
  return {
    status: "pass",
    summary: "the page is offered as Markdown",
    ...(variesByAccept ? {} : { details: ["no Vary: Accept, so caches may mix up the two forms"] }),
  };
});

/** Pages of a link that acknowledges. Of the incident they show its title alone. They work without scripts. */
import { pagePath } from "@svc/contract";
import { escapeHtml, htmlPage } from "../../platform/http/html-page.ts";
import type { AcknowledgeLink } from "./acknowledge-by-link.ts";
import { ACKNOWLEDGE_PATH } from "./acknowledge-link.ts";

const SIGN_IN = `<p><a href="${pagePath("incidents", {})}">Sign in</a> to see the incidents.</p>`;

/** Returns the page of a link: a button while it may be used, and what became of the incident otherwise. */
export function acknowledgePage(token: string, link: AcknowledgeLink | undefined): string {
  if (link?.state === "usable")
    return htmlPage({
      title: "Acknowledge the incident?",
      body: `<p>${escapeHtml(link.title)}</p>
<p>This tells the others that somebody works on it. It ends nothing.</p>
<form method="post" action="${ACKNOWLEDGE_PATH}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<p class="actions"><button type="submit">Acknowledge</button></p>
</form>`,
    });
  if (link?.state === "acknowledged")
    return htmlPage({
      title: "The incident is acknowledged",
      body: `<p>${escapeHtml(link.title)}</p>
<p>This link is used up.</p>
${SIGN_IN}`,
    });
  return htmlPage({
    title: "This link does not work any more",
    body: `<p>It was used, it has expired, it came with a test message, or there is nothing left to acknowledge.</p>
${SIGN_IN}`,
  });
}

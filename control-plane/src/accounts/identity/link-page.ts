/** Pages of a one-time sign-in link. Showing one uses nothing up, since mail scanners and previews open links, too. */
import { pagePath } from "@svc/contract";
import { escapeHtml, htmlPage, pageHeaders } from "../../platform/http/html-page.ts";

/** Headers of both pages. */
export const LINK_PAGE_HEADERS = pageHeaders();

const FIRST_PASSWORD = `<p><label>Choose a password for later, at least 12 characters (you may leave this empty)<br>
<input type="password" name="password" autocomplete="new-password" minlength="12" maxlength="1024"></label></p>
`;

/**
 * Returns the page whose button signs in; it works without scripts.
 * @param input.asksPassword true for an account that has no password yet
 */
export function signInPage({ token, asksPassword }: { token: string; asksPassword: boolean }): string {
  return htmlPage({
    title: "Sign in to svc",
    body: `<p>This link signs you in once. Go on if you asked for it.</p>
<form method="post" action="/auth/link">
<input type="hidden" name="token" value="${escapeHtml(token)}">
${asksPassword ? FIRST_PASSWORD : ""}<p class="actions"><button type="submit">Sign in</button></p>
</form>`,
  });
}

/** Returns the page of a sign-in link that doesn't work any more, with the operator's command that makes another. */
export function usedLinkPage(): string {
  return htmlPage({
    title: "This link was used or has expired",
    body: `<p>Sign in <a href="${pagePath("signIn", {})}">with your password</a>, or ask the operator for another link. The command for it:</p>
<pre>npx svc-control-plane sign-in-link --email you@example.com</pre>`,
  });
}

/** Returns the page of another link that doesn't work any more. */
export function goneLinkPage(message: string): string {
  return htmlPage({ title: "This link does not work", body: `<p>${escapeHtml(message)}</p>` });
}

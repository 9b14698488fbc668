/**
 * The consent page: asks a person for the code that their own terminal shows, and for a decision. A link that carries
 * the code does not spare them from typing it: they may have the link from somebody else. Works with a keyboard and a
 * screen reader.
 */

import { escapeHtml, htmlPage, pageHeaders } from "../../platform/http/html-page.ts";
import { readableInstant } from "../../platform/readable-time.ts";
import type { WaitingCode } from "./store.ts";

/** Contents of the page. */
export interface ConsentView {
  /** The signed-in person; undefined: they sign in first. */
  person: { email: string; teamName: string } | undefined;
  /** Code of the form XXXX-XXXX from the link; undefined: the person types it in. */
  userCode: string | undefined;
  /** The request that waits under the code; undefined while the person isn't known, or when no such request waits. */
  waiting: WaitingCode | undefined;
  /** URL of the sign-in when that is not by password. */
  signInUrl: string | undefined;
}

/** Returns the page. Send it with {@link CONSENT_PAGE_HEADERS}. */
export function consentPage(view: ConsentView): string {
  const content = view.person ? consent(view, view.person) : signIn(view);
  return htmlPage({
    title: "Authorize the svc command line",
    body: `${content}\n<p id="message" role="status" aria-live="polite"></p>`,
    script: SCRIPT,
  });
}

function consent(
  { userCode, waiting }: ConsentView,
  { email, teamName }: { email: string; teamName: string },
): string {
  const who = `<p>Signed in as <strong>${escapeHtml(email)}</strong>, team <strong>${escapeHtml(teamName)}</strong>.</p>`;
  if (userCode === undefined || waiting === undefined) return `${who}${codeForm(userCode)}`;
  const { clientName, clientAddress, createdAt } = waiting;
  const from =
    clientAddress === null ? "" : ` from the address <strong>${escapeHtml(clientAddress)}</strong>`;
  return `${who}
<p><strong><bdi>${escapeHtml(clientName)}</bdi></strong> asked for an API key of this team at ${readableInstant(createdAt)}${from}.</p>
<p id="code" data-code="${escapeHtml(userCode)}"><label for="terminal-code">Type the code that your own terminal shows</label>
<input id="terminal-code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="32" placeholder="XXXX-XXXX"></p>
<p>If you did not run <code>svc login</code>, decline. A key may do whatever a member of the team may.</p>
<p class="actions">
<button type="button" data-decision="authorize">Authorize</button>
<button type="button" data-decision="deny" class="quiet">Decline</button>
</p>`;
}

function codeForm(userCode: string | undefined): string {
  const problem =
    userCode === undefined
      ? ""
      : `<p>The code <strong>${escapeHtml(userCode)}</strong> is unknown, has expired or was decided before. Run <code>svc login</code> again.</p>`;
  return `${problem}
<form method="get" id="ask">
<label for="typed">Code that your terminal shows</label>
<input id="typed" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" required maxlength="32" placeholder="XXXX-XXXX">
<p class="actions"><button type="submit">Go on</button></p>
</form>`;
}

function signIn({ signInUrl }: ConsentView): string {
  if (signInUrl !== undefined)
    return `<p>Sign in first; you come back here.</p><p class="actions"><a class="button" href="${escapeHtml(signInUrl)}">Sign in</a></p>`;
  return `<p>Sign in first. With a one-time link: open it in this browser, then open this page again.</p>
<form id="sign-in">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="320">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024">
<p class="actions"><button type="submit">Sign in</button></p>
</form>`;
}

const SCRIPT = `
const message = document.getElementById("message");
const post = async (path, body) => {
  const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  if (answer.ok) return true;
  const { error, details } = await answer.json().catch(() => ({}));
  message.textContent = Object.values(details?.fieldErrors ?? {}).flat()[0] ?? error ?? "That did not work (" + answer.status + ").";
  return false;
};
const guarded = (work) => work().catch(() => { message.textContent = "The service can't be reached; try again."; });
document.getElementById("sign-in")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = new FormData(event.target);
  guarded(async () => {
    if (await post("/api/auth/login", { email: form.get("email"), password: form.get("password") })) location.reload();
  });
});
const lettersOf = (code) => code.toUpperCase().replace(/[^A-Z]/g, "");
// A code that was typed on this page before it was looked up need not be typed again. No link can fill this storage.
const TYPED = "svc-typed-code";
document.getElementById("ask")?.addEventListener("submit", (event) => {
  sessionStorage.setItem(TYPED, new FormData(event.target).get("code"));
});
const terminalCode = document.getElementById("terminal-code");
const linkedCode = document.getElementById("code")?.dataset.code;
if (terminalCode) {
  const typed = sessionStorage.getItem(TYPED) ?? "";
  sessionStorage.removeItem(TYPED);
  if (lettersOf(typed) === lettersOf(linkedCode)) terminalCode.value = linkedCode;
}
const buttons = [...document.querySelectorAll("[data-decision]")];
for (const button of buttons) button.addEventListener("click", () => guarded(async () => {
  const { decision } = button.dataset;
  if (decision === "authorize" && terminalCode && lettersOf(terminalCode.value) !== lettersOf(linkedCode)) {
    message.textContent = terminalCode.value.trim() === ""
      ? "Type the code that your terminal shows."
      : "That is not the code of this request. If your terminal shows it, open the address that it shows; else decline.";
    terminalCode.focus();
    return;
  }
  for (const each of buttons) each.disabled = true;
  let isDone = false;
  try {
    isDone = await post("/api/cli/device-codes/decide", { userCode: linkedCode, decision });
  } finally {
    if (!isDone) {
      for (const each of buttons) each.disabled = false;
      button.focus();
    }
  }
  if (isDone) message.textContent = decision === "authorize" ? "Authorized. You can go back to your terminal." : "Declined. No key was made.";
}));`;

/** Headers under which no other script or style runs, nothing is loaded, and nobody frames the page. */
export const CONSENT_PAGE_HEADERS = pageHeaders(SCRIPT);

/** The consent page: shows the code that the terminal shows, and asks. Works with a keyboard and a screen reader. */
import { createHash } from "node:crypto";

/** Contents of the page. */
export interface ConsentView {
  /** The signed-in person; undefined: they sign in first. */
  person: { email: string; teamName: string } | undefined;
  /** Code of the form XXXX-XXXX from the link; undefined: the person types it in. */
  userCode: string | undefined;
  /** Machine that asks; undefined while it isn't known or no such code waits. */
  clientName: string | undefined;
  /** URL of the sign-in when that is not by password. */
  signInUrl: string | undefined;
}

/** Returns a whole HTML document. {@link CONSENT_PAGE_CSP} lets its own script and style run and no others. */
export function consentPage(view: ConsentView): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Authorize the svc command line</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Authorize the svc command line</h1>
${view.person ? consent(view, view.person) : signIn(view)}
<p id="message" role="status" aria-live="polite"></p>
</main>
<noscript><p>This page needs JavaScript.</p></noscript>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function consent(
  { userCode, clientName }: ConsentView,
  { email, teamName }: { email: string; teamName: string },
): string {
  const who = `<p>Signed in as <strong>${escapeHtml(email)}</strong>, team <strong>${escapeHtml(teamName)}</strong>.</p>`;
  if (userCode === undefined || clientName === undefined) return `${who}${codeForm(userCode)}`;
  return `${who}
<p><strong><bdi>${escapeHtml(clientName)}</bdi></strong> asks for an API key of this team. Does your terminal show this code?</p>
<p class="code" id="code" data-code="${escapeHtml(userCode)}">${escapeHtml(userCode)}</p>
<p>If it doesn't, or you did not run <code>svc login</code>, decline. A key may do whatever a member of the team may.</p>
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
<form method="get">
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

const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { margin: 0; } main { max-width: 32rem; margin: 10vh auto; padding: 0 1.25rem; }
h1 { font-size: 1.4rem; } label { display: block; margin-top: .75rem; }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; }
.code { font: 700 2rem/1.2 ui-monospace, monospace; letter-spacing: .12em; }
.actions { display: flex; gap: .75rem; margin-top: 1.25rem; }
button, .button { font: inherit; padding: .55rem 1.2rem; border: 2px solid #1f5fbf; border-radius: .4rem;
  background: #1f5fbf; color: #fff; cursor: pointer; text-decoration: none; }
button.quiet { background: transparent; color: inherit; }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 3px solid #e08a00; outline-offset: 2px; }`;

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
const buttons = [...document.querySelectorAll("[data-decision]")];
for (const button of buttons) button.addEventListener("click", () => guarded(async () => {
  const { decision } = button.dataset;
  for (const each of buttons) each.disabled = true;
  let isDone = false;
  try {
    isDone = await post("/api/cli/device-codes/decide", { userCode: document.getElementById("code").dataset.code, decision });
  } finally {
    if (!isDone) {
      for (const each of buttons) each.disabled = false;
      button.focus();
    }
  }
  if (isDone) message.textContent = decision === "authorize" ? "Authorized. You can go back to your terminal." : "Declined. No key was made.";
}));`;

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** No other script or style runs, nothing is loaded, nobody frames the page. */
export const CONSENT_PAGE_CSP = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** Pages of an invitation. Showing one uses nothing up. They work without scripts. */
import { escapeHtml, htmlPage } from "../../platform/http/html-page.ts";
import type { InvitationView } from "./accept-invitation.ts";
import { INVITATION_PATH } from "./invitations.ts";

const FIELD: Record<InvitationView["needs"], string> = {
  nothing: "",
  session: "",
  new_password: `<p><label>Choose a password, at least 12 characters<br>
<input type="password" name="password" autocomplete="new-password" minlength="12" maxlength="1024" required></label></p>`,
  password: `<p><label>The password of your account<br>
<input type="password" name="password" autocomplete="current-password" maxlength="1024" required></label></p>`,
};

/** Returns the page whose button joins the team. */
export function invitationPage(token: string, { teamName, email, role, needs }: InvitationView): string {
  const invited = `<p>${escapeHtml(email)} is invited to the team ${escapeHtml(teamName)} as ${role}.</p>`;
  if (needs === "session")
    return htmlPage({
      title: "Join a team",
      body: `${invited}<p>This account signs in by a one-time link. Ask the operator for one, sign in, then open this page again.</p>`,
    });
  return htmlPage({
    title: "Join a team",
    body: `${invited}
<form method="post" action="${INVITATION_PATH}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
${FIELD[needs]}
<p class="actions"><button type="submit">Join</button></p>
</form>`,
  });
}

/** The dialog of a session that ended while its page is open: signing in again there keeps the work of the page. */
import type { authRoutes } from "@svc/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { sessionQuery, signInOptionsQuery } from "../api/queries/session.ts";
import type { Answer } from "../api/request.ts";
import { Dialog } from "../ui/dialog.tsx";
import { PasswordForm } from "./password-form.tsx";

/** Shows the dialog until a session has begun. @param props.former the session that ended */
export function SessionEnded({ former }: { former: Answer<typeof authRoutes.session> }) {
  const client = useQueryClient();
  const { data: options } = useQuery(signInOptionsQuery);
  const goOn = async () => {
    const session = await client.fetchQuery({ ...sessionQuery, staleTime: 0 });
    // The page holds what the former person may see.
    if (session.user.id !== former.user.id || session.team.id !== former.team.id) location.reload();
    else await client.invalidateQueries();
  };
  return (
    <Dialog title="Your session has ended">
      <p>Sign in again to go on where you are.</p>
      {options?.oidcStartUrl && (
        <p>
          <a className="button" href={options.oidcStartUrl} target="_blank" rel="noopener">
            Sign in with your identity provider, in another tab
          </a>
        </p>
      )}
      {options?.password !== false && <PasswordForm onSignedIn={() => void goOn()} />}
    </Dialog>
  );
}

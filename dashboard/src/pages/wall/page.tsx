/** The way to the wall: of a signed-in person, or of a screen with a display link, which needs nobody. */
import { pagePath } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useSearch } from "wouter";
import { displayQuery } from "../../api/queries/session.ts";
import { RequestError } from "../../api/request.ts";
import { useSession, WithSession } from "../../shell/session.tsx";
import { Page } from "../../ui/page.tsx";
import { GROUPINGS } from "./layout.ts";
import { Wall, type WallView } from "./wall.tsx";

/**
 * Shows the wall to a signed-in person, to a screen with a display link, or leads to the sign-in. `?label=team:api` filters,
 * `?group=label`, `location` or `type` groups, `?rotate=30` shows further pages in turn; what a link sets goes before these.
 */
export default function WallPage() {
  const view = useAskedView();
  return (
    <WithSession orElse={(usual) => <ScreensWall asked={view} usual={usual} />}>
      <PersonsWall view={view} />
    </WithSession>
  );
}

function PersonsWall({ view }: { view: WallView }) {
  const { user, team } = useSession();
  return <Wall owner={`${user.id} ${team.id}`} view={view} />;
}

/** Shows the wall of a display link; where this browser has none, what usually stands there without a session. */
function ScreensWall({ asked, usual }: { asked: WallView; usual: ReactNode }) {
  const { data, error } = useQuery(displayQuery);
  const refusal = error instanceof RequestError ? error.status : undefined;
  if (refusal === 401) return usual;
  if (refusal === 410) return <DisplayEnded />;
  if (data) {
    const { id, label, groupBy, rotateSeconds, expiresAt } = data.display;
    const view = {
      label: label ?? asked.label,
      groupBy: groupBy ?? asked.groupBy,
      rotateSeconds: rotateSeconds ?? asked.rotateSeconds,
    };
    return <Wall owner={id} view={view} endsAt={expiresAt} />;
  }
  return error ? (
    <main className="narrow">
      <Page title="svc can't be reached">
        <p role="alert">{error.message}</p>
      </Page>
    </main>
  ) : (
    <p className="loading" aria-busy="true">
      Loading …
    </p>
  );
}

/** Says in words that the link of this screen shows nothing any more. */
export function DisplayEnded() {
  return (
    <main className="narrow">
      <Page title="This display link has ended">
        <p role="alert">
          It was revoked or has expired. Somebody of the team makes another one on the page Displays; open
          that one here.
        </p>
        <p>
          <a href={pagePath("signIn", {})}>Sign in</a>
        </p>
      </Page>
    </main>
  );
}

/** Returns the view that the address asks for. */
function useAskedView(): WallView {
  const search = new URLSearchParams(useSearch());
  return {
    label: search.get("label"),
    groupBy: GROUPINGS.find((one) => one === search.get("group")) ?? null,
    rotateSeconds: Number(search.get("rotate")) || null,
  };
}

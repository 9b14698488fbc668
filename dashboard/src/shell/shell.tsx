/** The frame around all pages: the way to the content, the pages' list, and whose session this is. */
import { type authRoutes, type PageName, pagePath, pages } from "@svc/contract";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useEffect } from "react";
import { useLocation } from "wouter";
import { request } from "../api/request.ts";
import { curlCommands } from "../api/request-log.ts";
import { Live, useLiveness } from "../live/live.tsx";
import { SESSION_CHANNEL, SIGNED_OUT } from "../live/message.ts";
import { Copy } from "../ui/copy.tsx";
import { Messages } from "../ui/messages.tsx";
import { listenToShortcuts, useShortcut } from "../ui/shortcuts.ts";
import { Banner } from "./banner.tsx";
import { Navigation } from "./navigation.tsx";
import { forgetChosen } from "./palette/recent.ts";
import { useSession } from "./session.tsx";
import { TabState } from "./tab-state.tsx";

/** Second keys after `g`, with the pages that they open. */
const GO_TO = [
  ["o", "overview"],
  ["c", "checks"],
  ["a", "alerts"],
  ["i", "incidents"],
  ["s", "slos"],
  ["l", "locations"],
] as const satisfies readonly (readonly [key: string, page: PageName])[];

/** Shows a page within the frame. */
export function Shell({ children }: { children: ReactNode }) {
  const isStale = useLiveness().state === "stale";
  const { user, team } = useSession();
  const client = useQueryClient();
  const leaveAll = useCallback(() => void signOut(client), [client]);
  useSignOutElsewhere(client);
  useEffect(() => listenToShortcuts(window), []);
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Banner signOut={leaveAll} />
      <div className="columns">
        <Navigation />
        <main id="content" tabIndex={-1} className={isStale ? "stale" : undefined}>
          {children}
          <footer className="page-foot">
            <Copy text={curlCommands} label="Copy as curl" />
          </footer>
        </main>
      </div>
      <Messages />
      <Live owner={`${user.id} ${team.id}`} />
      <TabState />
      {GO_TO.map(([key, page]) => (
        <GoTo key={key} keys={`g ${key}`} page={page} />
      ))}
    </>
  );
}

/** Leaves the page when somebody signs out in another tab. */
function useSignOutElsewhere(client: QueryClient): void {
  useEffect(() => {
    const channel = new BroadcastChannel(SESSION_CHANNEL);
    channel.onmessage = ({ data }) => data === SIGNED_OUT && leave(client);
    return () => channel.close();
  }, [client]);
}

/** Forgets everything and leads to the sign-in by a full load, so that nothing of the session stays in memory. */
function leave(client: QueryClient): void {
  client.clear();
  forgetChosen();
  location.assign(pagePath("signIn", {}));
}

/** Signs out here and in all other tabs. */
async function signOut(client: QueryClient): Promise<void> {
  await request<typeof authRoutes.logout>("POST", "/api/auth/logout").catch(() => undefined);
  const channel = new BroadcastChannel(SESSION_CHANNEL);
  channel.postMessage(SIGNED_OUT);
  channel.close();
  leave(client);
}

/** Lets two keys open a page. */
function GoTo({ keys, page }: { keys: string; page: (typeof GO_TO)[number][1] }) {
  const [, navigate] = useLocation();
  useShortcut({ keys, label: pages[page].title, group: "Go to", act: () => navigate(pagePath(page, {})) });
  return null;
}

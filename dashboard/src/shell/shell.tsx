/** The frame around all pages: the way to the content, the pages' list, and whose session this is. */
import { type authRoutes, type PageName, pagePath, pages } from "@svc/contract";
import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { alertsQuery } from "../api/queries/alerts.ts";
import { incidentsQuery } from "../api/queries/incidents.ts";
import { request } from "../api/request.ts";
import { curlCommands } from "../api/request-log.ts";
import { Live, useLiveness } from "../live/live.tsx";
import { SESSION_CHANNEL, SIGNED_OUT } from "../live/message.ts";
import { Copy } from "../ui/copy.tsx";
import { Text } from "../ui/text.tsx";
import { Connection } from "./connection.tsx";
import { useSession } from "./session.tsx";

const NAVIGATION = [
  "overview",
  "checks",
  "alerts",
  "incidents",
  "slos",
  "locations",
  "channels",
  "maintenance",
  "deployments",
  "events",
  "changes",
  "specs",
  "certificates",
  "keys",
  "members",
  "telemetry",
  "about",
  "profile",
] as const satisfies readonly PageName[];
/** Pages that a line sets off from those above: the rules of the work, its history, and the team's own things. */
const BEGINS_GROUP: ReadonlySet<PageName> = new Set(["slos", "deployments", "keys"]);

/** Shows a page within the frame. */
export function Shell({ children }: { children: ReactNode }) {
  const isStale = useLiveness().state === "stale";
  const { user, team } = useSession();
  useSignOutElsewhere();
  return (
    <>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="banner">
        <Link href="/" className="brand">
          svc
        </Link>
        <Connection />
        <Account />
      </header>
      <div className="columns">
        <Navigation />
        <main id="content" tabIndex={-1} className={isStale ? "stale" : undefined}>
          {children}
          <footer className="page-foot">
            <Copy text={curlCommands} label="Copy as curl" />
          </footer>
        </main>
      </div>
      <Live owner={`${user.id} ${team.id}`} />
    </>
  );
}

/** Leaves the page when somebody signs out in another tab. */
function useSignOutElsewhere(): void {
  const client = useQueryClient();
  useEffect(() => {
    const channel = new BroadcastChannel(SESSION_CHANNEL);
    channel.onmessage = ({ data }) => data === SIGNED_OUT && leave(client);
    return () => channel.close();
  }, [client]);
}

/** Forgets everything and leads to the sign-in by a full load, so that nothing of the session stays in memory. */
function leave(client: QueryClient): void {
  client.clear();
  location.assign(pagePath("signIn", {}));
}

function Navigation() {
  const [path] = useLocation();
  const alerts = useQuery(alertsQuery({ state: "active" })).data?.instances.length ?? 0;
  const incidents = useQuery(incidentsQuery("open")).data?.incidents.length ?? 0;
  const counts: Partial<Record<PageName, number>> = { alerts, incidents };
  return (
    <nav aria-label="Main">
      <ul>
        {NAVIGATION.map((name) => {
          const href = pagePath(name, {});
          const isHere = href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);
          const count = counts[name] ?? 0;
          return (
            <li key={name} data-begins={BEGINS_GROUP.has(name) ? "" : undefined}>
              <Link href={href} aria-current={isHere ? "page" : undefined}>
                {pages[name].title}
                {count > 0 && <span className="count">{count}</span>}
              </Link>
            </li>
          );
        })}
        <li>
          <a href="/docs">API reference</a>
        </li>
      </ul>
    </nav>
  );
}

function Account() {
  const { user, team, role } = useSession();
  const client = useQueryClient();
  const signOut = async () => {
    await request<typeof authRoutes.logout>("POST", "/api/auth/logout").catch(() => undefined);
    const channel = new BroadcastChannel(SESSION_CHANNEL);
    channel.postMessage(SIGNED_OUT);
    channel.close();
    leave(client);
  };
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="account">
      <button
        type="button"
        className="quiet-button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        onKeyDown={({ key }) => key === "Escape" && setIsOpen(false)}
      >
        Account
      </button>
      <div className="menu" hidden={!isOpen}>
        <p>
          <Text>{user.email}</Text>
        </p>
        <p className="quiet">
          <Text>{`${team.name}, ${role}`}</Text>
        </p>
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </div>
  );
}

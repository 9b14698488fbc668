/** The list of pages: beside the page, or in a dialog where the screen is narrow. */
import { type PageName, pagePath, pages } from "@svc/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { overviewQuery } from "../api/queries/overview.ts";
import { Dialog } from "../ui/dialog.tsx";

/** The pages that the navigation lists. */
export const NAVIGATION = [
  "overview",
  "checks",
  "alerts",
  "incidents",
  "rules",
  "slos",
  "reports",
  "locations",
  "channels",
  "rotas",
  "maintenance",
  "statusPages",
  "projects",
  "deployments",
  "events",
  "changes",
  "specs",
  "certificates",
  "keys",
  "displays",
  "secrets",
  "members",
  "telemetry",
  "about",
  "profile",
] as const satisfies readonly PageName[];
/** Pages that a line sets off from those above: the rules of the work, its history, and the team's own things. */
const BEGINS_GROUP: ReadonlySet<PageName> = new Set(["rules", "projects", "keys"]);

/** Shows the list beside the page. */
export function Navigation() {
  return (
    <nav aria-label="Main" className="side">
      <Pages />
    </nav>
  );
}

/** Shows the button that opens the list on a narrow screen. */
export function NavigationButton() {
  const [path] = useLocation();
  const [isOpen, setIsOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it
  useEffect(() => setIsOpen(false), [path]);
  return (
    <span className="on-narrow">
      <button type="button" className="quiet-button" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        Menu
      </button>
      {isOpen && (
        <Dialog title="Menu" onClose={() => setIsOpen(false)}>
          {(close) => (
            <>
              <nav aria-label="Main">
                <Pages />
              </nav>
              <button type="button" className="quiet-button" onClick={close}>
                Close
              </button>
            </>
          )}
        </Dialog>
      )}
    </span>
  );
}

function Pages() {
  const [path] = useLocation();
  const counts: Partial<Record<PageName, number>> = useQuery(overviewQuery).data?.unacknowledged ?? {};
  return (
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
  );
}

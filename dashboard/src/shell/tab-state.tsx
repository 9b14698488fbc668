/** Says in the browser's tab how the checks stand: before the title, and by the shape of the icon. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { overviewQuery } from "../api/queries/overview.ts";
import { useLiveness } from "../live/live.tsx";
import { setTabMark } from "../ui/document-title.ts";
import failingIcon from "./icons/failing.svg";
import staleIcon from "./icons/stale.svg";
import icon from "./icons/svc.svg";

/** Keeps title and icon of the tab as the checks are while it is shown; shows nothing itself. */
export function TabState() {
  const isStale = useLiveness().state === "stale";
  const failing = useQuery(overviewQuery).data?.checks.unhealthy ?? 0;
  useEffect(() => {
    setTabMark(isStale ? "? " : failing > 0 ? `(${failing}) ` : "");
    setIcon(isStale ? staleIcon : failing > 0 ? failingIcon : icon);
  }, [isStale, failing]);
  useEffect(
    () => () => {
      setTabMark("");
      setIcon(icon);
    },
    [],
  );
  return null;
}

function setIcon(href: string): void {
  document.querySelector<HTMLLinkElement>('link[rel="icon"]')?.setAttribute("href", href);
}

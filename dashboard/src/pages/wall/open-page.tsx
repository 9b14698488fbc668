/** The page that a display link opens: it hands the link's secret in, forgets it, and goes on to the wall. */
import { type displayLinkRoutes, pagePath } from "@svc/contract";
import { useEffect, useState } from "react";
import { RequestError, request } from "../../api/request.ts";
import { Page } from "../../ui/page.tsx";
import { DisplayEnded } from "./page.tsx";

/** Time after which a service that is away is asked again: nobody is there who would press a button. */
const RETRY_MS = 5_000;

type Refusal = { isEnded: boolean; message: string };

/** Begins the display session of the link's secret, which leaves the address at once. Without a secret it only leads to the wall. */
export default function OpenDisplay() {
  const [refusal, setRefusal] = useState<Refusal>();
  useEffect(() => {
    let retrying: ReturnType<typeof setTimeout> | undefined;
    const begin = async (secret: string) => {
      try {
        await request<typeof displayLinkRoutes.open>("POST", "/api/auth/display", { body: { secret } });
        // A full load: nothing of a former session stays in memory.
        location.replace(pagePath("wall", {}));
      } catch (error) {
        const { status, message, retryAfterSeconds } = error as RequestError;
        const isRefused = error instanceof RequestError && [400, 410].includes(status);
        setRefusal({ isEnded: isRefused, message });
        if (!isRefused)
          retrying = setTimeout(
            () => void begin(secret),
            Math.max(RETRY_MS, 1_000 * (retryAfterSeconds ?? 0)),
          );
      }
    };
    const acquire = () => {
      const secret = location.hash.slice(1);
      if (secret === "") return;
      clearTimeout(retrying);
      setRefusal(undefined);
      history.replaceState(null, "", location.pathname);
      void begin(secret);
    };
    if (location.hash.length < 2) location.replace(pagePath("wall", {}));
    else acquire();
    // Another link, written over this one.
    window.addEventListener("hashchange", acquire);
    return () => {
      clearTimeout(retrying);
      window.removeEventListener("hashchange", acquire);
    };
  }, []);
  if (refusal?.isEnded) return <DisplayEnded />;
  return (
    <main className="narrow">
      <Page title="Opening the wall">
        {refusal ? <p role="alert">{refusal.message}</p> : <p aria-busy="true">One moment …</p>}
      </Page>
    </main>
  );
}

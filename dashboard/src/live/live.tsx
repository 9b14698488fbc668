/** Keeps the page live: joins the stream with the queries, and knows how far what is shown can be trusted. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { isGone, noteStreaming } from "../api/queries/intervals.ts";
import { type OverviewAnswer, overviewQuery } from "../api/queries/overview.ts";
import { displayQuery, sessionQuery } from "../api/queries/session.ts";
import { stopPresent } from "../time/ago.tsx";
import { noteServiceTime } from "../time/clock.ts";
import { Announcer } from "./announcer.ts";
import { EventApplier } from "./apply-event.ts";
import { ChangedChecks } from "./changed-checks.ts";
import { connectLive } from "./connect.ts";
import { type Liveness, livenessOf, type SignsOfLife } from "./liveness.ts";

const TICK_MS = 1_000;

const signs: SignsOfLife = { isConnected: false, heardAtMs: 0, answeredAtMs: 0 };
let liveness: Liveness = { state: "connecting" };
const listeners = new Set<() => void>();

function judge(): void {
  const next = livenessOf(signs, Date.now());
  const isSame = JSON.stringify(next) === JSON.stringify(liveness);
  if (isSame) return;
  liveness = next;
  noteStreaming(next.state === "streaming");
  stopPresent(next.state === "stale");
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns how far what the page shows can be trusted. */
export function useLiveness(): Liveness {
  return useSyncExternalStore(subscribe, () => liveness);
}

/**
 * Keeps the page live while it is shown, and says changes of checks to those who hear the page.
 * @param props.owner names the person and team, or the display link, whose page it is
 */
export function Live({ owner }: { owner: string }) {
  const client = useQueryClient();
  const [sentence, setSentence] = useState("");
  useEffect(() => {
    const applier = new EventApplier(client);
    const announcer = new Announcer(setSentence);
    const changes = new ChangedChecks();
    const link = connectLive(owner, (message) => {
      if (message.kind === "event") {
        const { event } = message;
        if (event.name === "hello" || event.name === "ping") noteServiceTime(event.data.serverTime);
        if (event.name === "states") for (const one of changes.note(event.data.states)) announcer.add(one);
        applier.apply(event);
      } else if (message.kind === "connection") {
        const wasStreaming = liveness.state === "streaming";
        Object.assign(signs, { isConnected: message.isConnected, heardAtMs: message.heardAtMs });
        judge();
        // Whatever is not streamed any more is read in its interval from now on.
        if (wasStreaming && liveness.state !== "streaming") applier.readAll();
      } else if (message.kind === "missed") applier.readAll();
      else {
        void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
        void client.invalidateQueries({ queryKey: displayQuery.queryKey });
      }
    });
    const cache = client.getQueryCache();
    const announce = (overview: OverviewAnswer | undefined) => {
      if (overview) for (const changed of changes.since(overview.failing)) announcer.add(changed);
    };
    let followed: string | undefined;
    const follow = () => {
      const checkIds = cache
        .getAll()
        // The service refuses a stream about a check that it does not have.
        .filter((query) => query.isActive() && query.meta?.live?.topics.includes("results") && !isGone(query))
        .flatMap(({ meta }) => meta?.live?.checkId ?? []);
      const wanted = [...new Set(checkIds)].sort();
      if (wanted.join() === followed) return;
      followed = wanted.join();
      link.follow(wanted);
    };
    const unsubscribe = cache.subscribe(({ type, query }) => {
      if (type === "updated") {
        signs.answeredAtMs = Math.max(signs.answeredAtMs, query.state.dataUpdatedAt);
        if (query.queryKey[0] === overviewQuery.queryKey[0]) announce(query.state.data as OverviewAnswer);
      }
      if (/^observer(Added|Removed)$/.test(type) || (type === "updated" && isGone(query))) follow();
    });
    follow();
    const timer = setInterval(() => {
      const wasStreaming = liveness.state === "streaming";
      judge();
      if (wasStreaming && liveness.state === "stale") applier.readAll();
    }, TICK_MS);
    return () => {
      clearInterval(timer);
      unsubscribe();
      link.close();
    };
  }, [client, owner]);
  return (
    <p className="hidden" role="log" aria-label="Changes" aria-live="polite">
      {sentence}
    </p>
  );
}

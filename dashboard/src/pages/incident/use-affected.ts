/** Reads what the matrix of an incident shows: one request for how its checks stand now, and one for each check about the past. */
import { useQueries, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { slotsQuery } from "../../api/queries/history.ts";
import { resultsInSightQuery } from "../../api/queries/summary.ts";
import { useNowMs } from "../../time/ago.tsx";
import { affectedChecks, locationsOf, ROWS_MAX, standingAt } from "./matrix.ts";
import { endMsOf, type Triage } from "./triage.ts";

const MINUTE_MS = 60_000;
/** Before an incident opens, its first failures were found. */
const EARLIER_MS = 5 * MINUTE_MS;
/** Longest past that is looked at; of a longer incident, its beginning. */
const PAST_MS = 7 * 24 * 60 * MINUTE_MS;
/** While it lasts, the past is read anew in these steps. */
const STEP_MS = 2 * MINUTE_MS;

/** Returns the affected checks, at most {@link ROWS_MAX}, their locations, and how a check stands at one of them. */
export function useAffected({ incident, alerts }: Triage) {
  const all = useMemo(() => affectedChecks(alerts), [alerts]);
  const rows = all.slice(0, ROWS_MAX);
  const ids = rows.flatMap(({ checkId }) => checkId ?? []);
  const nowMs = Math.ceil(useNowMs() / STEP_MS) * STEP_MS;
  const fromMs = Date.parse(incident.openedAt) - EARLIER_MS;
  const toMs = Math.min(endMsOf(incident) ?? nowMs, fromMs + PAST_MS);
  const newest = useQuery(resultsInSightQuery(ids)).data;
  const slots = useQueries({ queries: ids.map((id) => slotsQuery(id, { fromMs, toMs }, 1)) });
  const slotsOf = new Map(ids.map((id, index) => [id, slots[index]?.data]));
  const isKnown = slots.every(({ isPending }) => !isPending);
  return {
    rows,
    hiddenCount: all.length - rows.length,
    isKnown,
    locationIds: locationsOf([...slotsOf.values()]),
    standing: (checkId: string, locationId: string) =>
      standingAt(slotsOf.get(checkId), newest?.get(checkId) ?? [], locationId),
  };
}

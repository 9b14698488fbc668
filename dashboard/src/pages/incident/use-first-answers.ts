/** The queries whose answers decide how large the parts of triage are. */
import { useQuery } from "@tanstack/react-query";
import { resultQuery } from "../../api/queries/checks.ts";
import { lastSuccessQuery } from "../../api/queries/history.ts";
import { locationsQuery } from "../../api/queries/locations.ts";
import { notificationsQuery } from "../../api/queries/notifications.ts";
import { firstFailingResult } from "./first-failing-result.ts";
import type { Triage } from "./triage.ts";

/** Returns the queries that every incident needs, and those of its first failure where the alerts name one. */
export function useFirstAnswers({ incident, alerts }: Triage) {
  const queries = [useQuery(locationsQuery), useQuery(notificationsQuery(incident.id))];
  const first = firstFailingResult(alerts);
  const { checkId = "", resultId = "" } = first ?? {};
  const failure = useQuery({ ...resultQuery(checkId, resultId), enabled: first !== undefined });
  const locationId = failure.data?.result.locationId ?? "";
  const success = useQuery({
    ...lastSuccessQuery(checkId, { resultId, locationId }),
    enabled: failure.data !== undefined,
  });
  if (first === undefined) return queries;
  return failure.data === undefined ? [...queries, failure] : [...queries, success];
}

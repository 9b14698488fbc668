/** Says whether what the page shows is the present: since when nothing was read, when the service is away. */
import { useQuery } from "@tanstack/react-query";
import { healthQuery } from "../api/queries/checks.ts";
import { useNowMs } from "../time/ago.tsx";
import { instantText } from "../time/format.ts";

/** Age from which what is shown may be out of date. */
const STALE_MS = 20_000;

/** Shows `Live`, or since when it isn't. */
export function Connection() {
  const { dataUpdatedAt } = useQuery(healthQuery);
  const isLive = useNowMs() - dataUpdatedAt < STALE_MS;
  if (dataUpdatedAt === 0)
    return (
      <span role="status" aria-label="Connection" className="connection">
        Connecting
      </span>
    );
  return (
    <span role="status" aria-label="Connection" className={isLive ? "connection" : "connection stale"}>
      {isLive ? "Live" : `Not live since ${instantText(new Date(dataUpdatedAt).toISOString())}`}
    </span>
  );
}

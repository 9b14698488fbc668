/** Limits of where a run's requests may go and what they may do, for a run whose script nobody has read. Pure. */

/** The origins that a run may reach, such as `https://shop.example`, and whether it may change anything there. */
export interface TrafficLimits {
  /** Origins that the run is about. */
  origins: readonly string[];
  /** Further origins that may be read from; null: any. */
  readOrigins: readonly string[] | null;
  /** True: requests of every method pass to `origins`. Otherwise only those of safe methods do. */
  allowsWrites: boolean;
}

/** A request that a run is about to send. */
export interface LimitedRequest {
  method: string;
  url: URL;
  /** True: it asks for another protocol, such as WebSocket, over which anything can be sent. */
  isUpgrade: boolean;
}

/** Methods that change nothing by their definition (RFC 9110, 9.2.1). */
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Returns why the limits don't let the request through, as a sentence; undefined: they do. */
export function refusalOf(
  limits: TrafficLimits,
  { method, url, isUpgrade }: LimitedRequest,
): string | undefined {
  const { origins, readOrigins, allowsWrites } = limits;
  const { origin } = url;
  const isOwn = origins.includes(origin);
  const isRead = SAFE_METHODS.has(method);
  const named = `${isUpgrade ? "A connection upgrade" : `A ${method} request`} to ${origin} was refused`;
  if (!isOwn && readOrigins !== null && !readOrigins.includes(origin))
    return `${named}: it is not among the origins of this run`;
  if (isUpgrade) return `${named}: a run with limits can't use it`;
  if (isRead) return undefined;
  if (!allowsWrites) return `${named}: this run may only read`;
  return isOwn ? undefined : `${named}: this run may change something at ${origins.join(", ")} alone`;
}

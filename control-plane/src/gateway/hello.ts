/** Validates an agent's first message. */
import { Code, ConnectError } from "@connectrpc/connect";
import { DomainError } from "@svc/contract";
import type { Hello, SessionRequest } from "@svc/proto/svc/runner/v1/runner_pb";
import type { RunnerKeyRow } from "../accounts/identity/credential-store.ts";
import { isHosted } from "../fleet/fleet-locations.ts";
import type { FleetState } from "../fleet/fleet-state.ts";
import type { LocationRow } from "../fleet/fleet-store.ts";
import { PROTOCOL_VERSION } from "../fleet/timing.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const TEXT_LENGTH_MAX = 255;
const CAPABILITIES_MAX = 64;
const LOCATIONS_MAX = 1_000;
const RUNS_MAX = 1_000_000;

/**
 * Returns the Hello of a session's first message.
 * @throws ConnectError FAILED_PRECONDITION for another protocol version
 * @throws DomainError `invalid` for anything else that is wrong
 */
export function parseHello(request: SessionRequest | undefined): Hello {
  if (request?.message.case !== "hello") throw invalid("the first message of a session must be Hello");
  const hello = request.message.value;
  if (hello.protocolVersion !== PROTOCOL_VERSION)
    throw new ConnectError(
      `the agent speaks protocol version ${hello.protocolVersion}, this control plane version ${PROTOCOL_VERSION}: update the older one`,
      Code.FailedPrecondition,
    );
  if (!UUID.test(hello.runnerUuid)) throw invalid("runner_uuid is not a UUID");
  if (!UUID.test(hello.processUuid)) throw invalid("process_uuid is not a UUID");
  if (hello.capabilities.length > CAPABILITIES_MAX)
    throw invalid(`more than ${CAPABILITIES_MAX} capabilities`);
  if (hello.locationIds.length > LOCATIONS_MAX) throw invalid(`more than ${LOCATIONS_MAX} location_ids`);
  for (const text of [hello.hostname, hello.agentVersion, ...hello.capabilities])
    if (text.length > TEXT_LENGTH_MAX || text.includes("\0"))
      throw invalid(`hostname, agent_version and capabilities have at most ${TEXT_LENGTH_MAX} characters`);
  if (hello.capacityPerSecond > 1_000_000) throw invalid("capacity_per_second is above 1000000");
  if (hello.freshRuns > RUNS_MAX) throw invalid(`fresh_runs is above ${RUNS_MAX}`);
  if (hello.browserPages > RUNS_MAX) throw invalid(`browser_pages is above ${RUNS_MAX}`);
  return hello;
}

/**
 * Returns the locations that the session serves: the key's own, or the hosted ones that the agent asks for. An agent that
 * asks for none serves all hosted locations that are not retired. Retired ones that it asks for are passed over.
 * @throws DomainError `invalid` naming a location that is not a hosted one, or when all are retired
 */
export function servedLocations(key: RunnerKeyRow, hello: Hello, state: FleetState): LocationRow[] {
  if (key.locationKey !== null) {
    const own = state.location(key.locationKey);
    if (!own) throw new DomainError("not_found", "the location of this runner key does not exist");
    return [own];
  }
  const hosted = [...state.locations()].filter(isHosted);
  const isServed = (row: LocationRow) => row.status !== "retired";
  if (hello.locationIds.length === 0) return hosted.filter(isServed);
  const wanted = [...new Set(hello.locationIds)].map((id) => {
    const row = hosted.find((location) => location.id === id);
    if (!row) throw invalid(`location_ids: ${JSON.stringify(id.slice(0, 128))} is not a hosted location`);
    return row;
  });
  const served = wanted.filter(isServed);
  if (served.length === 0) throw invalid("location_ids: all of these locations are retired");
  return served;
}

function invalid(message: string): DomainError {
  return new DomainError("invalid", message);
}

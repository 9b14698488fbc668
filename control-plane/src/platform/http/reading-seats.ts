/**
 * Seats for the writing of lists: each team has a few, so that clients which ask for many large lists at once, or read them
 * slowly, take a bounded amount of memory. Who finds no seat waits in line.
 */
import { DomainError, type TeamId } from "@svc/contract";

/** Lists of one team that are written at once. */
const SEATS_PER_TEAM = 16;
/** Requests of a team that may wait for a seat. */
const WAITING_MAX = 200;
/** Seconds after which a refused client should ask again. */
const RETRY_AFTER_SECONDS = 5;

/** A seat, to be released once; releasing it again does nothing. */
export interface Seat {
  release(): void;
}

interface Line {
  taken: number;
  waiting: (() => void)[];
}

const lines = new Map<TeamId, Line>();

/**
 * Takes one of the team's seats, and waits until there is one.
 * @throws DomainError `rate_limited` when too many wait already
 */
export async function takeSeat(teamId: TeamId): Promise<Seat> {
  const line = lines.get(teamId) ?? { taken: 0, waiting: [] };
  lines.set(teamId, line);
  if (line.taken < SEATS_PER_TEAM) line.taken++;
  else if (line.waiting.length < WAITING_MAX)
    await new Promise<void>((resolve) => line.waiting.push(resolve));
  else
    throw new DomainError("rate_limited", "The team reads too many lists at once; try again", {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  return seatIn(teamId, line);
}

function seatIn(teamId: TeamId, line: Line): Seat {
  let isTaken = true;
  return {
    release: () => {
      if (!isTaken) return;
      isTaken = false;
      const next = line.waiting.shift();
      if (next) next();
      else if (--line.taken === 0) lines.delete(teamId);
    },
  };
}

/**
 * Seats for the work of teams' requests. A team has at most three quarters of the seats that the other teams leave
 * free, and one in any case, so that a team at its maximum leaves seats for the others. Who finds no seat waits in its
 * team's line, in which the team's people and each of its keys take turns, so that a script keeps no people from the
 * dashboard.
 */
import { DomainError, type TeamId } from "@svc/contract";

/** Numbers of seats and of waiting requests. */
export interface TeamSeatsOptions {
  /** Seats that teams share. */
  seats: number;
  /** Most seats of one team; default: no limit but its share. */
  seatsPerTeam?: number;
  /**
   * Requests of a team's keys that may wait, half of them by one key; those beyond are refused. People have half as
   * many more.
   */
  waitingMax: number;
  /** Sentence for a request that is refused. */
  refusal: string;
}

/** A seat, to be released once; releasing it again does nothing. */
export interface Seat {
  release(): void;
}

/** Name of a team's people among those who ask for its seats. */
export const PEOPLE = "people";

/** Who asks for a seat, and whether the request may be refused or given up. */
export interface AcquireOptions {
  /** Who asks: {@link PEOPLE}, or the id of a key; absent: nobody in particular, who may fill the whole line. */
  asker?: string;
  /** Gives the place in the line up. */
  signal?: AbortSignal;
  /** True for work that has begun already, which waits however many wait. */
  isUnderWay?: boolean;
}

interface Line {
  occupied: number;
  /** Those who wait, by who asks. The one whose turn is next comes first. */
  waiting: Map<string, Set<() => void>>;
}

/** A request that is to wait. */
interface Waiting {
  teamId: TeamId;
  line: Line;
  asker: string;
  signal: AbortSignal | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/** Part of the free seats that one team may take. */
const SHARE = 3 / 4;
/** Seconds after which a refused client should ask again. */
const RETRY_AFTER_SECONDS = 5;

/** Hands out seats to teams, and lets those wait who find none. */
export class TeamSeats {
  readonly #options: TeamSeatsOptions;
  readonly #lines = new Map<TeamId, Line>();
  #occupied = 0;

  constructor(options: TeamSeatsOptions) {
    this.#options = options;
  }

  /**
   * Acquires a seat, and waits until the team may have one.
   * @throws DomainError `rate_limited` when too many wait already; the signal's reason
   */
  async acquire(teamId: TeamId, { signal, asker, isUnderWay = false }: AcquireOptions = {}): Promise<Seat> {
    const line = this.#lines.get(teamId) ?? { occupied: 0, waiting: new Map() };
    this.#lines.set(teamId, line);
    if (line.waiting.size === 0 && this.#mayAcquire(line)) this.#count(line, 1);
    else if (isUnderWay || this.#mayWait(line, asker))
      await new Promise<void>((resolve, reject) => {
        this.#wait({ teamId, line, asker: asker ?? "", signal, resolve, reject });
      });
    else
      throw new DomainError("rate_limited", this.#options.refusal, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    let isHeld = true;
    return {
      release: () => {
        if (isHeld) this.#release(teamId, line);
        isHeld = false;
      },
    };
  }

  #wait({ teamId, line, asker, signal, resolve, reject }: Waiting): void {
    const ofAsker = line.waiting.get(asker) ?? new Set();
    line.waiting.set(asker, ofAsker);
    const leave = () => {
      ofAsker.delete(sit);
      if (ofAsker.size === 0 && line.waiting.get(asker) === ofAsker) line.waiting.delete(asker);
      this.#forgetEmpty(teamId, line);
      reject(signal?.reason);
    };
    const sit = () => {
      signal?.removeEventListener("abort", leave);
      resolve();
    };
    ofAsker.add(sit);
    signal?.addEventListener("abort", leave, { once: true });
  }

  #mayWait({ waiting }: Line, asker: string | undefined): boolean {
    const { waitingMax } = this.#options;
    const ofAsker = asker === undefined ? 0 : (waiting.get(asker)?.size ?? 0);
    if (ofAsker >= Math.ceil(waitingMax / 2)) return false;
    if (asker === PEOPLE) return true;
    let ofKeys = 0;
    for (const [other, { size }] of waiting) if (other !== PEOPLE) ofKeys += size;
    return ofKeys < waitingMax;
  }

  #release(teamId: TeamId, line: Line): void {
    this.#count(line, -1);
    // The team goes to the end, so that the others' requests come before its next one.
    this.#lines.delete(teamId);
    this.#lines.set(teamId, line);
    this.#forgetEmpty(teamId, line);
    for (const other of this.#lines.values()) {
      while (other.waiting.size > 0 && this.#mayAcquire(other)) {
        this.#count(other, 1);
        removeNext(other)?.();
      }
    }
  }

  #mayAcquire({ occupied }: Line): boolean {
    const leftByOthers = this.#options.seats - (this.#occupied - occupied);
    const { seatsPerTeam = Number.POSITIVE_INFINITY } = this.#options;
    return occupied < Math.min(seatsPerTeam, Math.max(1, Math.floor(leftByOthers * SHARE)));
  }

  #count(line: Line, change: 1 | -1): void {
    line.occupied += change;
    this.#occupied += change;
  }

  #forgetEmpty(teamId: TeamId, line: Line): void {
    if (line.occupied === 0 && line.waiting.size === 0) this.#lines.delete(teamId);
  }
}

/**
 * Removes the request whose turn is next from the line, and lets its asker's other requests wait behind those of the
 * others.
 */
function removeNext({ waiting }: Line): (() => void) | undefined {
  for (const [asker, ofAsker] of waiting) {
    const [sit] = ofAsker;
    waiting.delete(asker);
    if (sit) ofAsker.delete(sit);
    if (ofAsker.size > 0) waiting.set(asker, ofAsker);
    return sit;
  }
  return undefined;
}

/**
 * Distributions of response times: counts by class. A class holds the times from its lower bound to that of the next one, which is
 * a twelfth of a doubling, 5.9 %, longer. Stored as 4 bytes for each class that occurs: count * 256 + class.
 */

/** Columns of the phases of a result, in the order in which their sums are stored. */
export const PHASE_COLUMNS = [
  "dns_lookup_us",
  "tcp_connect_us",
  "tls_handshake_us",
  "ttfb_us",
  "content_transfer_us",
] as const;

/** Classes of one doubling of the response time. */
const CLASSES_PER_DOUBLING = 12;
/** Upper bound of the first class, microseconds. */
const FIRST_US = 800;
const CLASS_MAX = 255;
/** Largest count of a class in one hour. */
export const CLASS_COUNT_MAX = 2 ** 23 - 1;

/** Returns the SQL of the class of a time in microseconds. */
export function classOf(sql: string): string {
  return `greatest(0, least(${CLASS_MAX}, ceil(ln(greatest(${sql}, 1)::float8 / ${FIRST_US}) * ${CLASSES_PER_DOUBLING / Math.LN2})))::integer`;
}

/** Returns the class of a time in microseconds. */
function classOfUs(us: number): number {
  const position = Math.ceil(Math.log(Math.max(us, 1) / FIRST_US) * (CLASSES_PER_DOUBLING / Math.LN2));
  return Math.max(0, Math.min(CLASS_MAX, position));
}

/** Returns the longest time of a class, microseconds. */
function longestOf(aClass: number): number {
  return FIRST_US * 2 ** (aClass / CLASSES_PER_DOUBLING);
}

/** Counts of response times, from stored distributions and from single times. */
export class Distribution {
  readonly #counts = new Uint32Array(CLASS_MAX + 1);
  #total = 0;

  /** Adds stored distributions, one behind the other. */
  addStored(bytes: Buffer): void {
    for (let at = 0; at + 4 <= bytes.length; at += 4) {
      const value = bytes.readUInt32BE(at);
      this.#add(value & 0xff, value >>> 8);
    }
  }

  /** Adds one time. */
  addTime(us: number): void {
    this.#add(classOfUs(us), 1);
  }

  /** Returns the time that a share of the results does not exceed, microseconds; undefined without results. */
  quantile(share: number): number | undefined {
    if (this.#total === 0) return undefined;
    const rank = Math.max(1, Math.ceil(share * this.#total));
    let before = 0;
    for (let aClass = 0; aClass <= CLASS_MAX; aClass++) {
      const count = this.#counts[aClass] as number;
      if (before + count >= rank) {
        const lower = aClass === 0 ? 0 : longestOf(aClass - 1);
        return lower + ((rank - before) / count) * (longestOf(aClass) - lower);
      }
      before += count;
    }
    return undefined;
  }

  #add(aClass: number, count: number): void {
    this.#counts[aClass] = (this.#counts[aClass] as number) + count;
    this.#total += count;
  }
}

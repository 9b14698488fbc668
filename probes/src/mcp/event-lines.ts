/**
 * Prepares the bytes of an event stream for a parser whose work is linear only where all lines end alike: every end of
 * a line (CR, LF or CRLF, which mean one thing in an event stream) becomes LF. Counts the lines, since a parser keeps a
 * few objects for each.
 */
const [CR, LF] = [0x0d, 0x0a];

/** Makes the ends of lines of one event stream uniform and counts its lines. Give it the chunks in their order. */
export class EventLines {
  #endedWithCr = false;
  /** Lines so far. */
  count = 0;

  /** Returns the next bytes with uniform ends of lines: the chunk itself when there was nothing to change. */
  uniform(chunk: Buffer): Buffer {
    const uniform = this.#endedWithCr || chunk.includes(CR) ? this.#replaceCrs(chunk) : chunk;
    for (let at = 0; at < uniform.length; at++) if (uniform[at] === LF) this.count++;
    return uniform;
  }

  #replaceCrs(chunk: Buffer): Buffer {
    const uniform = Buffer.allocUnsafe(chunk.length);
    let length = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      const isRestOfCrLf = byte === LF && this.#endedWithCr;
      this.#endedWithCr = byte === CR;
      if (!isRestOfCrLf) uniform[length++] = byte === CR ? LF : byte;
    }
    return uniform.subarray(0, length);
  }
}

/** A response body, decoded at most once and only when something asks for it: most runs never read their body. */
import pLimit from "p-limit";
import { textPreview } from "../base/storable-text.ts";
import type { BodyClaim } from "../run/body-budget.ts";
import { RunnerFailure } from "../run/failures.ts";
import { charsetOf, decodeText, decodeTextInPieces, isSlowToDecode } from "./charset.ts";
import { decodeContent } from "./content-coding.ts";
import { BODY_BYTES_MAX, type HttpResponse } from "./response.ts";

/** A body that can't be read as asked. The message completes "the body ...". */
export class BodyUnreadable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "BodyUnreadable";
  }
}

/** Deepest nesting of JSON that is parsed: to parse millions of levels, which no document has, takes long. */
const JSON_LEVELS_MAX = 10_000;

/** Rough ratio of the memory of parsed JSON to that of its text. */
const JSON_SIZE_FACTOR = 4;
/**
 * Limits how many bodies are decoded at a time. A small body may decode to a large one, and its size is only known
 * afterwards.
 */
const decodeInTurn = pLimit(16);

/** The body of one response, as bytes, text or JSON. Call `prepare` before reading it. */
export class ResponseBody {
  readonly #response: HttpResponse;
  #decoded: Buffer | undefined;
  #problem: BodyUnreadable | undefined;
  #hasBeenCut: boolean;
  /** True when only the beginning was kept, because only the evidence of a failure needs the body. */
  #isBeginning = false;
  #decodedText: string | undefined;
  #parsedJson: { value: unknown } | BodyUnreadable | undefined;

  readonly #claim: BodyClaim | undefined;

  /** @param claim counts the memory that decoding and reading take */
  constructor(response: HttpResponse, claim?: BodyClaim) {
    this.#response = response;
    this.#claim = claim;
    this.#hasBeenCut = response.wasCut;
  }

  /**
   * Decodes the body. Must be awaited before the body is read.
   * @throws RunnerFailure when memory is short
   */
  async prepare(): Promise<void> {
    if (this.#decoded || this.#problem) return;
    await this.#decode();
    if (this.#problem) return;
    const bytes = this.bytes();
    const charset = charsetOf(bytes, this.#response.headers.get("content-type"));
    if (!isSlowToDecode(charset, bytes)) return;
    this.#claim?.reserve(bytes.length);
    this.#decodedText = await decodeTextInPieces(charset, bytes);
  }

  /** Undoes the content codings. */
  async #decode(): Promise<void> {
    const response = this.#response;
    const wire =
      response.chunks.length === 1 ? (response.chunks[0] as Buffer) : Buffer.concat(response.chunks);
    // The pieces are released; only the whole is needed from here on.
    response.chunks.splice(0, response.chunks.length, wire);
    this.#isBeginning = wire.length < response.wireBytes;
    const isPartial = response.wasCut || this.#isBeginning;
    const codings = response.headers.get("content-encoding");
    if (codings === undefined || wire.length === 0) {
      this.#decoded = wire.length > BODY_BYTES_MAX ? wire.subarray(0, BODY_BYTES_MAX) : wire;
      return;
    }
    try {
      const { bytes, wasCut } = await decodeInTurn(() =>
        decodeContent(wire, codings, { bytesMax: BODY_BYTES_MAX, isPartial }),
      );
      this.#claim?.reserve(bytes.length);
      this.#decoded = bytes;
      this.#hasBeenCut ||= wasCut && !isPartial;
    } catch (error) {
      if (error instanceof RunnerFailure) throw error;
      this.#problem = new BodyUnreadable(
        `can't be decoded (content-encoding ${textPreview(codings)}): ${textPreview((error as Error).message)}`,
      );
    }
  }

  /** True when the body was longer than the probe reads (10 MiB, decoded), so that the rest is unknown. */
  get wasCut(): boolean {
    return this.#hasBeenCut;
  }

  /**
   * Returns the decoded bytes.
   * @throws BodyUnreadable
   */
  bytes(): Buffer {
    if (this.#problem) throw this.#problem;
    if (!this.#decoded) throw new Error("prepare() comes first");
    return this.#decoded;
  }

  /**
   * Returns the body as text in its charset (default UTF-8). Malformed sequences become U+FFFD.
   * @throws BodyUnreadable
   * @throws RunnerFailure when memory is short
   */
  text(): string {
    if (this.#decodedText === undefined) {
      this.#claim?.reserve(this.bytes().length);
      this.#decodedText = this.textStart(Number.POSITIVE_INFINITY);
    }
    return this.#decodedText;
  }

  /**
   * Returns the text of the first bytes. A character that the limit cuts is left out.
   * @throws BodyUnreadable
   */
  textStart(bytesMax: number): string {
    const bytes = this.bytes();
    const charset = charsetOf(bytes, this.#response.headers.get("content-type"));
    const isWhole = bytes.length <= bytesMax;
    return decodeText(charset, isWhole ? bytes : bytes.subarray(0, bytesMax), { isPartial: !isWhole });
  }

  /** Returns the text, or an empty one when the body can't be decoded. */
  textOrNothing(): string {
    return this.#problem ? "" : this.text();
  }

  /**
   * The size of the body in bytes, at most the limit: decoded, or as received when it can't be decoded or was not all
   * kept.
   */
  get size(): number {
    const { wireBytes } = this.#response;
    return Math.min(this.#isBeginning ? wireBytes : (this.#decoded?.length ?? wireBytes), BODY_BYTES_MAX);
  }

  /** True when all of the body is here and decoded. */
  get isWhole(): boolean {
    return this.#decoded !== undefined && !this.#hasBeenCut && !this.#isBeginning;
  }

  /**
   * Returns the body parsed as JSON.
   * @throws BodyUnreadable
   */
  json(): unknown {
    this.#parsedJson ??= this.#parse();
    if (this.#parsedJson instanceof BodyUnreadable) throw this.#parsedJson;
    return this.#parsedJson.value;
  }

  #parse(): { value: unknown } | BodyUnreadable {
    if (this.wasCut)
      return new BodyUnreadable(`is longer than ${BODY_BYTES_MAX} bytes, of which no more are read`);
    const text = this.text();
    if (text.trim() === "") return new BodyUnreadable("is empty, not JSON");
    if (isNestedTooDeeply(text))
      return new BodyUnreadable(`is JSON nested deeper than ${JSON_LEVELS_MAX} levels`);
    this.#claim?.reserve(JSON_SIZE_FACTOR * text.length);
    try {
      return { value: JSON.parse(text) as unknown };
    } catch (error) {
      return new BodyUnreadable(`is not JSON: ${(error as Error).message}`);
    }
  }
}

/** True when JSON text opens more arrays and objects at once than {@link JSON_LEVELS_MAX}. Linear; strings are skipped. */
function isNestedTooDeeply(text: string): boolean {
  let level = 0;
  let isInString = false;
  for (let at = 0; at < text.length && level <= JSON_LEVELS_MAX; at++) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) isInString = true;
    else if ((code | 0x20) === OPENING) level++;
    else if ((code | 0x20) === CLOSING) level--;
  }
  return level > JSON_LEVELS_MAX;
}

const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = "\\".charCodeAt(0);
/** `[` and `{`, and `]` and `}`, differ by the bit 0x20. */
const OPENING = "{".charCodeAt(0);
const CLOSING = "}".charCodeAt(0);

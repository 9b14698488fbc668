/** A response body, decoded at most once and only when something asks for it: most runs never read their body. */
import { setImmediate as nextTurn } from "node:timers/promises";
import pLimit from "p-limit";
import { JsonDepth } from "../base/json-depth.ts";
import {
  type FoundInJson,
  findInJson,
  JsonPoolBusy,
  type JsonSearch,
  LOOP_JSON_LENGTH_MAX,
} from "../base/json-pool.ts";
import { NO_TEAM } from "../base/no-team.ts";
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

/** Deepest nesting of JSON that is parsed. */
const JSON_LEVELS_MAX = 10_000;

/** Part of a long body whose nesting is measured in one turn of the event loop, characters. */
const TURN_CHARACTERS = 1024 * 1024;

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
  /** Found values by the searches for them, as JSON. */
  readonly #foundJson = new Map<string, Promise<FoundInJson[]>>();

  readonly #claim: BodyClaim | undefined;

  /** Names the team whose run received the body: work in threads that all runs share takes turns by team. */
  readonly team: string;

  /**
   * @param claim counts the memory that decoding and reading take
   * @param team names the team whose run received the body; default: that of the claim
   */
  constructor(response: HttpResponse, claim?: BodyClaim, team = claim?.team ?? NO_TEAM) {
    this.#response = response;
    this.#claim = claim;
    this.team = team;
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

  /** True when the body is too long to be parsed in the event loop: its values are read with `findJson`. */
  get isLongJson(): boolean {
    return this.bytes().length > LOOP_JSON_LENGTH_MAX;
  }

  /**
   * Returns the body parsed as JSON. For a long body use `findJson`.
   * @throws BodyUnreadable
   */
  json(): unknown {
    this.#parsedJson ??= this.#parse();
    if (this.#parsedJson instanceof BodyUnreadable) throw this.#parsedJson;
    return this.#parsedJson.value;
  }

  /**
   * Finds values of the body, which is parsed in a worker thread, once for equal searches.
   * @param searches all that the caller will ask of this body
   * @returns what each search found, in their order
   * @throws BodyUnreadable
   * @throws RunnerFailure when the threads or their memory are short
   */
  findJson(searches: readonly JsonSearch[]): Promise<FoundInJson[]> {
    const key = JSON.stringify(searches);
    const found = this.#foundJson.get(key) ?? this.#find(searches);
    this.#foundJson.set(key, found);
    return found;
  }

  async #find(searches: readonly JsonSearch[]): Promise<FoundInJson[]> {
    const text = this.#jsonText();
    const depth = new JsonDepth(text, JSON_LEVELS_MAX);
    while (depth.read(TURN_CHARACTERS)) await nextTurn();
    this.#claimJson(depth);
    await nextTurn();
    try {
      const outcome = await findInJson({ team: this.team, text, searches });
      if (outcome.kind === "unreadable") throw new BodyUnreadable(outcome.message);
      return outcome.found;
    } catch (error) {
      if (error instanceof JsonPoolBusy) throw new RunnerFailure("capacity", error.message, { cause: error });
      throw error;
    }
  }

  #parse(): { value: unknown } | BodyUnreadable {
    try {
      const text = this.#jsonText();
      const depth = new JsonDepth(text, JSON_LEVELS_MAX);
      depth.read(text.length);
      this.#claimJson(depth);
      return { value: JSON.parse(text) as unknown };
    } catch (error) {
      if (error instanceof BodyUnreadable) return error;
      if (error instanceof RunnerFailure) throw error;
      return new BodyUnreadable(`is not JSON: ${(error as Error).message}`);
    }
  }

  /** Returns the text of a body that may be JSON. */
  #jsonText(): string {
    if (this.wasCut)
      throw new BodyUnreadable(`is longer than ${BODY_BYTES_MAX} bytes, of which no more are read`);
    const text = this.text();
    if (!/\S/.test(text)) throw new BodyUnreadable("is empty, not JSON");
    return text;
  }

  /** Reserves the memory to parse a text, whose depth was measured. */
  #claimJson(depth: JsonDepth): void {
    if (depth.isTooDeep) throw new BodyUnreadable(`is JSON nested deeper than ${JSON_LEVELS_MAX} levels`);
    this.#claim?.reserve(JSON_SIZE_FACTOR * this.text().length);
  }
}

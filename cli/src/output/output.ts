/**
 * Writes everything that `svc` says: data to stdout, talk to stderr. Nothing is written by any other way. Secrets are
 * replaced first, then everything that a terminal or a CI runner would act on is made harmless.
 */

import type { Secrets } from "@svc/as-code/plan";
import { cleanJson, cleanLine, cleanText } from "@svc/contract";
import { type Colors, createColors } from "./colors.ts";
import type { Stream } from "./stream.ts";
import { type Column, tableLines } from "./table.ts";
import { cutTo } from "./width.ts";

/** The streams, the secrets to replace, and the choices of the global flags. */
export interface OutputOptions {
  stdout: Stream;
  stderr: Stream;
  secrets: Secrets;
  isJson: boolean;
  isQuiet: boolean;
  isVerbose: boolean;
  hasColor: boolean;
}

const CLEAR_LINE = "\r\u001b[K";

/** The output of one command line. */
export class Output {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  readonly secrets: Secrets;
  readonly colors: Colors;
  readonly #options: OutputOptions;
  #hasProgress = false;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.isJson = options.isJson;
    this.isVerbose = options.isVerbose;
    this.secrets = options.secrets;
    this.colors = createColors(options.hasColor && !options.isJson);
  }

  /** Cleans somebody else's name or value for use within a line: for everything that is cut, padded or quoted. */
  text(value: unknown): string {
    return cleanLine(this.secrets.redact(String(value)));
  }

  /** Cleans a text of several lines. */
  block(value: string): string {
    return cleanText(this.secrets.redact(value), { keepColors: false });
  }

  /** Writes data for a person to stdout; in --json nothing. */
  line(text = ""): void {
    if (!this.isJson) this.#write(this.#options.stdout, text);
  }

  /** Writes a text to stdout, also in --json (a completion script, a help page). */
  raw(text: string): void {
    this.#write(this.#options.stdout, text);
  }

  /**
   * Writes an error for GitHub Actions, which shows it beside the line of the file. The one way to write a command to a CI runner: all
   * else that looks like one is made harmless.
   */
  annotate({
    file,
    line,
    title,
    message,
  }: {
    file?: string;
    line?: number;
    title: string;
    message: string;
  }): void {
    const properties = Object.entries({ file, line, title })
      .filter(([, value]) => value !== undefined)
      .map(
        ([name, value]) =>
          `${name}=${escapedForActions(this.text(value)).replace(/[:,]/g, (c) => (c === ":" ? "%3A" : "%2C"))}`,
      );
    this.#clearProgress();
    this.#options.stdout.write(`::error ${properties.join(",")}::${escapedForActions(this.text(message))}\n`);
  }

  /** Writes one object for a program, on one line of stdout. */
  object(value: unknown): void {
    this.#clearProgress();
    this.#options.stdout.write(`${cleanJson(this.secrets.redactDeep(value))}\n`);
  }

  /** Writes one object about work that goes on, to stderr: stdout keeps its one envelope. */
  progressEvent(value: unknown): void {
    this.#clearProgress();
    this.#options.stderr.write(`${cleanJson(this.secrets.redactDeep(value))}\n`);
  }

  /** Prints a line of progress to stderr, unless --quiet or --json is set. */
  info(text: string): void {
    if (!this.#options.isQuiet && !this.isJson) this.#write(this.#options.stderr, text);
  }

  /** Says something that the person must see to go on: on stderr, also with --quiet. In --json an event says it instead. */
  prompt(text: string): void {
    if (!this.isJson) this.#write(this.#options.stderr, text);
  }

  /** Warns the user while the work goes on. */
  warn(text: string): void {
    this.#write(this.#options.stderr, `${this.colors.yellow("warning:")} ${text}`);
  }

  error(text: string, hint?: string): void {
    this.#write(this.#options.stderr, `${this.colors.red("error:")} ${text}`);
    if (hint !== undefined) this.#write(this.#options.stderr, hint);
  }

  /** Logs requests and files with --verbose. */
  verbose(text: string): void {
    if (this.isVerbose) this.#write(this.#options.stderr, this.colors.dim(text));
  }

  /** Shows the progress of long work on one line that is overwritten; only on a terminal. */
  progress(text: string): void {
    const { stderr, isQuiet } = this.#options;
    if (!stderr.isTty || isQuiet || this.isJson) return;
    stderr.write(`${CLEAR_LINE}${cutTo(this.text(text), Math.max(10, stderr.columns() - 1))}`);
    this.#hasProgress = true;
  }

  /** Writes a table to stdout. */
  table<Row>(columns: readonly Column<NoInfer<Row>>[], rows: readonly Row[]): void {
    for (const line of this.tableLines(columns, rows, this.width())) this.line(line);
  }

  /** Returns the lines of a table that is at most `width` columns wide, its cells cleaned. */
  tableLines<Row>(columns: readonly Column<NoInfer<Row>>[], rows: readonly Row[], width: number): string[] {
    const cleaned = columns.map((column) => ({
      ...column,
      value: (row: Row) => this.text(column.value(row)),
    }));
    return tableLines(cleaned, rows, { width, heading: this.colors.bold });
  }

  /** Returns the width to fit in; Infinity when stdout is no terminal. */
  width(): number {
    const { stdout } = this.#options;
    return stdout.isTty ? Math.max(20, stdout.columns()) : Number.POSITIVE_INFINITY;
  }

  get isTerminal(): boolean {
    return this.#options.stdout.isTty;
  }

  #write(stream: Stream, text: string): void {
    this.#clearProgress();
    stream.write(
      `${cleanText(this.secrets.redact(text), { keepColors: this.#options.hasColor && !this.isJson })}\n`,
    );
  }

  #clearProgress(): void {
    if (!this.#hasProgress) return;
    this.#hasProgress = false;
    this.#options.stderr.write(CLEAR_LINE);
  }
}

/** Escapes the message of a command to GitHub Actions' runner, as its toolkit does. */
function escapedForActions(line: string): string {
  return line.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

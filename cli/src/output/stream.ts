/** An output stream of the process: standard output or standard error. */
export interface Stream {
  write(text: string): void;
  isTty: boolean;
  /** Returns the present width of the terminal, in columns. */
  columns(): number;
}

/** The line of a script at which a test run failed: the panel of the test run finds it, the editor of the script shows it. */
import { createContext } from "react";

/** A line with what happened there. */
export interface FailedLine {
  /** The script that ran; another text has other lines. */
  script: string;
  /** From 1. */
  line: number;
  message: string;
}

/** The line that the newest test run failed at; undefined: none is known. */
export const FailedLineContext = createContext<FailedLine | undefined>(undefined);

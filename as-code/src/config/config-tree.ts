/** The config as plain values, before validation, with the position of every value. */
import type { ConfigPath, Position, Positions } from "./positions.ts";
import { type Problem, problemAt } from "./problem.ts";

/** The plain values of a config file. */
export class ConfigTree {
  readonly root: Record<string, unknown>;
  readonly #positions: Positions;

  constructor(root: Record<string, unknown>, positions: Positions) {
    this.root = root;
    this.#positions = positions;
  }

  /** Returns the position of the value, or of the nearest one around it. */
  positionOf(path: ConfigPath): Position | undefined {
    return this.#positions.find(this.root, path);
  }

  /**
   * Builds a problem at the position of `path`.
   * @param shownPath path that the message names, where it differs from `path`
   */
  problem(path: ConfigPath, message: string, shownPath: ConfigPath = path): Problem {
    return problemAt(this.positionOf(path), shownPath, message);
  }
}

/** True for keys of the user's own, mostly there to hang anchors on, as in Compose files. */
export function isOwnKey(key: string): boolean {
  return key.startsWith("x-");
}

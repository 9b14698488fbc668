/** The interface of observability backends: how a pack is written for one, and how it is installed there. */
import type { Pack } from "../pack.ts";

/** One observability backend that packs can be written for. */
export interface Backend {
  /** Name for people. */
  name: string;
  /** Extension of its files: `json`. */
  extension: string;
  /** Returns the text of the file. */
  render(pack: Pack): string;
  /** Returns the request that installs a rendered pack. */
  request(
    rendered: string,
    options: { token: string | undefined; overwrite: boolean },
  ): { path: string; init: RequestInit };
  /** Judges the answer to that request. Returns why the pack was not installed; undefined when it was. */
  refusal(status: number, body: string): string | undefined;
}

/** Returns the id under which a pack is installed, so that installing again replaces it. */
export function identifierOf({ id }: Pick<Pack, "id">): string {
  return `svc-${id}`;
}

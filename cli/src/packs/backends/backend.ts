/** Where dashboards are shown: how a pack looks there, and how it gets there. */
import type { Pack } from "../pack.ts";

export interface Backend {
  /** What a person calls it. */
  name: string;
  /** Of files: `json`. */
  extension: string;
  /** The file's text. */
  render(pack: Pack): string;
  /** The request that installs it. */
  request(
    rendered: string,
    options: { token: string | undefined; overwrite: boolean },
  ): { path: string; init: RequestInit };
  /** Why an answer of status 2xx, or not, did not install it; undefined: it did. */
  refusal(status: number, body: string): string | undefined;
}

/** Identifies what we install, so that installing again replaces it. */
export function identifierOf({ id }: Pick<Pack, "id">): string {
  return `svc-${id}`;
}

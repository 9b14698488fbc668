/** Finds API specs, and masks them for output. */
import { type ApiClient, maskUrl, type Spec } from "@svc/contract";
import { pickNamed } from "../../lookup/pick-named.ts";

/** Argument of commands about one API spec. */
export const SPEC_ARGUMENT = { name: "<name-or-id>", description: "name or id of the API spec" };

/** Returns the spec without the credentials that its URL may have. */
export function maskedSpec(spec: Spec): Spec {
  return { ...spec, sourceUrl: spec.sourceUrl === null ? null : maskUrl(spec.sourceUrl) };
}

/**
 * Returns the API spec with the id or name.
 * @throws CliError when there is none, or several
 */
export async function getSpec(api: ApiClient, typed: string): Promise<Spec> {
  return pickNamed("API spec", typed, await api.listSpecs());
}

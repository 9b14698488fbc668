/** The test run of a draft: its body, and where the draft keeps its assertions. Pure. */
import { checkTypes, TEST_RUN_LIMITS } from "@svc/contract";
import type { Path } from "../../../forms/paths.ts";
import { type CheckDraft, configKeyOf } from "../body.ts";

/** Returns the body that begins a test run of the draft, at the first of its locations. */
export function testRunOf(draft: CheckDraft, checkId: string | null): Record<string, unknown> {
  const { type, locations, retry } = draft;
  const configKey = configKeyOf(type);
  return {
    type,
    [configKey]: draft[configKey],
    locations: Array.isArray(locations) ? locations.slice(0, TEST_RUN_LIMITS.locationsMax) : [],
    ...(retry !== undefined && { retry }),
    ...(checkId !== null && { checkId }),
  };
}

/** Returns the path of the assertions in drafts of the type; undefined when its checks have none of their own. */
export function assertionsPathOf({ type }: CheckDraft): Path | undefined {
  const { configKey, configSchema } = checkTypes.get(type);
  const shape = "shape" in configSchema ? (configSchema.shape as Record<string, unknown>) : {};
  return "assertions" in shape ? [configKey, "assertions"] : undefined;
}

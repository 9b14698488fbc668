/** A third-party pattern in svc.config.yaml: a name for hosts that pages depend on. */
import { closedObject } from "../base/objects.ts";
import { createThirdPartyPatternSchema } from "../resources/third-party-pattern.ts";

const { name, hostPattern } = createThirdPartyPatternSchema.shape;

/** Schema of a third-party pattern in svc.config.yaml. */
export const configThirdPartyPatternSchema = closedObject({ name, hostPattern });

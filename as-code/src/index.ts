export { configOf } from "./describe.ts";
export { completeFragment, FragmentError, type FragmentNames, namesInFragment } from "./fragment/fragment.ts";
export {
  type Environment,
  type Interpolated,
  interpolate,
} from "./interpolate.ts";
export { isDescribable } from "./is-describable.ts";
export { filesOf } from "./lay-out.ts";
export { CONFIG_FILE, CONFIG_FOLDER, type ConfigFormat } from "./layout.ts";
export { unixLines } from "./line-ends.ts";
export { createPlaceholders, KNOWN_CHARACTERS_MIN, secretNamesIn } from "./placeholders.ts";
export type { DescribedRecords, Unmanaged } from "./records.ts";
export { type SharedName, selectRecords } from "./select-records.ts";
export { schemaComment, yamlText } from "./yaml-text.ts";

export { checkConfig, wholeConfig } from "./check-config.ts";
export { monitorsOf } from "./check-references.ts";
export { ConfigTree } from "./config-tree.ts";
export type {
  Desired,
  DesiredAlert,
  DesiredChannel,
  DesiredMonitor,
  DesiredSlo,
  DesiredStatusPage,
  DesiredWindow,
} from "./desired.ts";
export { type LoadedConfig, type ReadOptions, readYaml, unreadable } from "./loaded-config.ts";
export { type ConfigPath, Positions, type SourceFile } from "./positions.ts";
export { fileProblem, type Problem, pathText, problemLine } from "./problem.ts";
export { readConfigText, type TextSurroundings } from "./read-config-text.ts";
export type { ReadValue } from "./read-yaml-value.ts";

/** The folders that hold the sources of all packages. */
export const SOURCE_FOLDERS = [
  "proto/gen",
  "contract/src",
  "egress/src",
  "openapi/src",
  "as-code/src",
  "otel/src",
  "probes/src",
  "control-plane/src",
  "runner-agent/src",
  "cli/src",
  "dashboard/src",
];

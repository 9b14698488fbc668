/** All scenarios, each with an id of its own. */
import type { Scenario } from "../scenario.ts";
import { answers } from "./answers.ts";
import { certificates } from "./certificates.ts";
import { connections } from "./connections.ts";
import { flows } from "./flows.ts";
import { locations } from "./locations.ts";
import { lookalikes } from "./lookalikes.ts";
import { names } from "./names.ts";
import { slowness } from "./slowness.ts";

/** The scenarios, by kind. */
export const SCENARIOS: readonly Scenario[] = [
  ...names,
  ...certificates,
  ...connections,
  ...slowness,
  ...locations,
  ...answers,
  ...flows,
  ...lookalikes,
];

/** Lets schemas work without code that is made at run time, which the policy of the pages forbids. Before the first schema is made. */
import { config } from "zod/v4/core";

config({ jitless: true });

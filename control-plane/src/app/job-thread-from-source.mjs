/** Starts the job thread from its TypeScript source, where nothing has been bundled: in tests and in watch mode. */
import { tsImport } from "tsx/esm/api";

await tsImport("./job-thread.ts", import.meta.url);

/** A folder with a config, in which commands are run. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type RunOptions, runSvc, testFolder } from "./run-svc.ts";

/** A folder that each test finds empty. */
export class ProjectFolder {
  path = "";

  /** Writes a file of the folder; makes the folders on its way. */
  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), text);
  }

  /** Runs a command in the folder, with a key for the service. */
  run(args: string[], service: { fetch: typeof fetch }, options: RunOptions = {}) {
    const { env, ...rest } = options;
    return runSvc(args, {
      cwd: this.path,
      fetch: service.fetch,
      env: { SVC_API_KEY: "svc_key", ...env },
      ...rest,
    });
  }
}

/** Makes the folder before each test of the calling file, and removes it afterwards. */
export function setUpProjectFolder(): ProjectFolder {
  const project = new ProjectFolder();
  let folder: ReturnType<typeof testFolder>;
  beforeEach(() => {
    folder = testFolder();
    project.path = folder.path;
  });
  afterEach(() => folder.remove());
  return project;
}

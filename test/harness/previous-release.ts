/** The release before this checkout, built in a folder of its own from its tag. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "./control-plane.ts";
import { temporaryFolder } from "./folders.ts";

/** A built checkout of the release. */
export interface PreviousRelease {
  root: string;
  remove(): void;
}

/** Returns the newest release's tag among the ancestors of this checkout's commit; undefined where there is none, as in a tarball. */
export function previousReleaseTag(): string | undefined {
  try {
    const tags = git("tag", "--merged", "HEAD", "--no-contains", "HEAD", "--sort=-v:refname", "--list", "v*");
    return tags.split("\n")[0] || undefined;
  } catch {
    return undefined;
  }
}

/** Checks a tag out, installs what its lockfile names, and builds it: about a minute. */
export function buildRelease(tag: string): PreviousRelease {
  const folder = temporaryFolder();
  const root = join(folder.path, "release");
  const remove = () => {
    git("worktree", "remove", "--force", root);
    folder.remove();
  };
  git("worktree", "add", "--detach", root, tag);
  try {
    npm(root, "ci", "--no-audit", "--no-fund");
    npm(root, "run", "build");
    return { root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function git(...args: string[]): string {
  return execFileSync("git", ["-C", ROOT, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function npm(cwd: string, ...args: string[]): void {
  execFileSync("npm", args, { cwd, stdio: ["ignore", "ignore", "pipe"] });
}

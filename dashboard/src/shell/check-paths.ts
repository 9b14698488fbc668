/** Addresses of the editor of checks that begin it with more than a check, or nothing. */
import { pagePath } from "@svc/contract";

/** Returns the address of the form for a new check that begins with what this one has. */
export function duplicatePath(id: string): string {
  return `${pagePath("newCheck", {})}?from=${encodeURIComponent(id)}`;
}

/** Returns the address of a check's form that begins with the values from before a change. */
export function restorePath(id: string, changeId: string): string {
  return `${pagePath("editCheck", { id })}?before=${encodeURIComponent(changeId)}`;
}

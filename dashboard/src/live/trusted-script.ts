/** Scripts of workers as the pages' policy wants them. */

/** The browser's maker of policies for trusted scripts. TypeScript's own types do not know it in every version. */
interface Policy {
  createScriptURL(url: string): URL | string;
}
interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): Policy;
}

/** Folder of the dashboard's own files. */
const OWN_PATH = "/assets/";

let policy: Policy | undefined;

/** Returns the address of a worker's script by the one policy that the pages allow. @throws TypeError for one that is not ours */
export function trustedScript(url: string): URL | string {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  policy ??= trustedTypes?.createPolicy("svc", { createScriptURL: own });
  return policy?.createScriptURL(url) ?? own(url);
}

function own(url: string): string {
  const { origin, pathname } = new URL(url, location.origin);
  if (origin !== location.origin || !pathname.startsWith(OWN_PATH))
    throw new TypeError(`${url} is no script of the dashboard`);
  return url;
}

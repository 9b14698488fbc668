/** A second team beside the first one of a control plane, made by the operator's command. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type ControlPlane, ROOT, SECRET_KEY } from "./control-plane.ts";

/** A team with a key and an owner of its own. */
export interface SecondTeam {
  /** One-time link by which its owner signs in. */
  signInUrl: string;
  /** Calls the API with the team's key; resolves with the status and the body. */
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
}

/** The control plane, which asks for the team's answers, and where its data is. */
interface Beside {
  controlPlane: Pick<ControlPlane, "fetch" | "url">;
  databaseUrl: string;
  /** Folder of a control plane without a secret key of its own. */
  dataDir?: string;
}

/** Makes the team. */
export function createSecondTeam({ controlPlane, databaseUrl, dataDir }: Beside): SecondTeam {
  const words = ["teams", "create", "--name", "Second", "--owner-email", "second@example.com", "--api-key"];
  const printed = execFileSync(process.execPath, [join(ROOT, "control-plane/dist/main.js"), ...words], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: databaseUrl,
      SVC_SECRET_KEY: SECRET_KEY,
      SVC_PUBLIC_URL: controlPlane.url,
      ...(dataDir && { SVC_DATA_DIR: dataDir }),
    },
    encoding: "utf8",
  });
  const key = /sk_[0-9a-f]{64}/.exec(printed)?.[0] ?? "";
  const link = /\S*\/auth\/link\?token=\S+/.exec(printed)?.[0] ?? "";
  return {
    signInUrl: link,
    async call(method, path, body) {
      const response = await controlPlane.fetch(path, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(body ? { "content-type": "application/json" } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: response.status, body: await response.json().catch(() => undefined) };
    },
  };
}

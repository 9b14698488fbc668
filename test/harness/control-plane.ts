/** A control plane in a process of its own, as `npm start` runs it, and the calls that tests make to it. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ObservedAnswer } from "../../control-plane/test-support/answer-checker.ts";
import { freePort } from "./folders.ts";
import { type RunningProcess, startNode } from "./process.ts";
import { until } from "./wait.ts";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A running control plane. */
export interface ControlPlane {
  url: string;
  runnerPort: number;
  apiKey: string;
  process: RunningProcess;
  /** Calls the API with the team's key. Resolves with status and parsed body, whatever the status. */
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: T }>;
  /** Fetches a path of the service, without following redirects. Rejects when the answer is not as `onAnswer` wants it. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Calls the API and resolves with the body. Rejects on any status but 2xx. */
  ok<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>;
  /** Starts the control plane again with its settings, after it ended; of another checkout where `root` names one. */
  restart(root?: string): Promise<void>;
}

export interface ControlPlaneOptions {
  /** Checkout whose build is started. Default: this one. */
  root?: string;
  dataDir: string;
  databaseUrl?: string;
  apiKey?: string;
  environment?: Record<string, string>;
  /** Sees each answer to the calls made here; when it rejects, the call does. */
  onAnswer?: (answer: ObservedAnswer) => Promise<void>;
  /** True: return once the process runs, not once it is ready. */
  dontWait?: boolean;
}

/** Secret key of all replicas of a test. */
export const SECRET_KEY = "a-secret-key-that-only-tests-use-0123456789";

/** Returns a key of the form that SVC_BOOTSTRAP_API_KEY takes. */
export function newApiKey(): string {
  return `sk_${randomBytes(32).toString("hex")}`;
}

/** Starts a control plane on free ports. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const [httpPort, runnerPort] = [await freePort(), await freePort()];
  const apiKey = options.apiKey ?? newApiKey();
  const url = `http://127.0.0.1:${httpPort}`;
  const start = (root = options.root ?? ROOT) =>
    startNode([join(root, "control-plane/dist/main.js"), "serve"], {
      SVC_HTTP_PORT: String(httpPort),
      SVC_RUNNER_PORT: String(runnerPort),
      SVC_DATA_DIR: options.dataDir,
      SVC_BOOTSTRAP_API_KEY: apiKey,
      SVC_BOOTSTRAP_EMAIL: "owner@example.com",
      SVC_BOOTSTRAP_PASSWORD: "correct horse battery",
      SVC_EGRESS_PRIVATE: "allow",
      LOG_LEVEL: "warn",
      ...(options.databaseUrl ? { DATABASE_URL: options.databaseUrl, SVC_SECRET_KEY: SECRET_KEY } : {}),
      ...options.environment,
    });

  const fetchAnswer: ControlPlane["fetch"] = async (path, init = {}) => {
    const response = await fetch(url + path, { redirect: "manual", ...init });
    await options.onAnswer?.({
      method: init.method ?? "GET",
      path,
      status: response.status,
      contentType: response.headers.get("content-type") ?? undefined,
      body: await response.clone().text(),
    });
    return response;
  };
  const call: ControlPlane["call"] = async <T>(method: string, path: string, body?: unknown) => {
    const response = await fetchAnswer(path, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as T };
  };

  const controlPlane: ControlPlane = {
    url,
    runnerPort,
    apiKey,
    process: start(),
    call,
    fetch: fetchAnswer,
    async ok<T>(method: string, path: string, body?: unknown) {
      const answer = await call<T>(method, path, body);
      if (answer.status >= 300)
        throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    },
    async restart(root) {
      controlPlane.process = start(root);
      await untilReady(controlPlane);
    },
  };
  if (!options.dontWait) await untilReady(controlPlane);
  return controlPlane;
}

/** Resolves once /readyz answers 200. */
export async function untilReady(controlPlane: ControlPlane, withinMs = 60_000): Promise<void> {
  await until(
    "the control plane is ready",
    async () => {
      if (controlPlane.process.hasEnded()) return true;
      return (await fetch(`${controlPlane.url}/readyz`)).status === 200;
    },
    { withinMs },
  ).catch((error: Error) => {
    throw new Error(`${error.message}; it printed:\n${controlPlane.process.output()}`);
  });
  if (controlPlane.process.hasEnded())
    throw new Error(`the control plane ended:\n${controlPlane.process.output()}`);
}

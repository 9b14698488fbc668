/** The end of access: the next request of every other tab is refused, also by another control plane on the same database. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ControlPlane, newApiKey, ROOT } from "../harness/control-plane.ts";
import { startNode } from "../harness/process.ts";
import { startTestStack, type TestStack } from "../harness/test-stack.ts";
import { until } from "../harness/wait.ts";

const OWNER = { email: "owner@example.com", password: "correct horse battery" };
const PASSWORD = "a good long password";
const SECRET_KEY = "a-secret-key-that-only-tests-use-0123456789";

let stack: TestStack;
let databaseUrl: string;
let replicas: ControlPlane[];
/** The owner's tab. */
let owner: Tab;
beforeAll(async () => {
  stack = await startTestStack();
  databaseUrl = (await stack.database({ template: false })).url;
  const apiKey = newApiKey();
  // One after the other: the first one makes the team.
  const first = await stack.controlPlane({ databaseUrl, apiKey });
  replicas = [first, await stack.controlPlane({ databaseUrl, apiKey })];
  owner = await signIn(first, OWNER);
});
afterAll(() => stack?.[Symbol.asyncDispose](), 60_000);

/** A browser's tab with its session, which any replica may be asked with. */
interface Tab {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever was answered
  ask(at: ControlPlane, method: string, path: string, body?: object): Promise<{ status: number; body: any }>;
}

async function post(at: ControlPlane, path: string, body: object): Promise<Response> {
  return at.fetch(path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

function tabOf(answer: Response): Tab {
  const cookie = answer.headers
    .getSetCookie()
    .find((one) => one.startsWith("svc_session="))
    ?.split(";")[0];
  if (!cookie) throw new Error(`no session: ${answer.status}`);
  return {
    async ask(at, method, path, body) {
      const response = await at.fetch(path, {
        method,
        headers: { cookie, origin: at.url, ...(body && { "content-type": "application/json" }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    },
  };
}

const signIn = async (at: ControlPlane, person: typeof OWNER) =>
  tabOf(await post(at, "/api/auth/login", person));

/** A new member with two tabs, one opened at each replica. */
async function aMember(email: string): Promise<{ userId: string; email: string; tabs: [Tab, Tab] }> {
  const [first, second] = replicas as [ControlPlane, ControlPlane];
  const { body } = await owner.ask(first, "POST", "/api/team/invitations", { email });
  const token = new URL(body.invitation.link).searchParams.get("token");
  const joined = tabOf(await post(second, "/auth/invitation", { token, password: PASSWORD }));
  const tabs: [Tab, Tab] = [joined, await signIn(first, { email, password: PASSWORD })];
  const { user } = (await joined.ask(first, "GET", "/api/auth/session")).body;
  return { userId: user.id, email, tabs };
}

/** Asks each replica who is signed in in each tab: the statuses, tab by tab. */
async function statusesOf(tabs: readonly Tab[]): Promise<number[][]> {
  return Promise.all(
    tabs.map((tab) =>
      Promise.all(replicas.map(async (at) => (await tab.ask(at, "GET", "/api/auth/session")).status)),
    ),
  );
}

const IN = [200, 200];
const OUT = [401, 401];

/** Runs a command of the operator in a process of its own, on the replicas' database. */
async function operate(...words: string[]): Promise<void> {
  const command = startNode([join(ROOT, "control-plane/dist/main.js"), ...words], {
    DATABASE_URL: databaseUrl,
    SVC_SECRET_KEY: SECRET_KEY,
  });
  await until("the command ends", () => command.hasEnded());
}

test("a removed member is refused in every tab by every replica", async () => {
  const { userId, tabs } = await aMember("removed@example.com");
  expect(await statusesOf(tabs)).toEqual([IN, IN]);
  const removed = await owner.ask(replicas[1] as ControlPlane, "DELETE", `/api/team/members/${userId}`);
  expect(removed.status).toBe(200);
  expect(await statusesOf(tabs)).toEqual([OUT, OUT]);
});

test("a changed role holds for the next request of every tab at every replica", async () => {
  const { userId, tabs } = await aMember("changed@example.com");
  let count = 0;
  const change = () =>
    Promise.all(
      tabs.flatMap((tab) =>
        replicas.map(async (at) => {
          const { status, body } = await tab.ask(at, "POST", "/api/secrets", {
            name: `N${++count}`,
            value: "v",
          });
          return [status, body.code];
        }),
      ),
    );
  expect(await change()).toEqual(Array(4).fill([201, undefined]));
  await owner.ask(replicas[0] as ControlPlane, "PUT", `/api/team/members/${userId}`, { role: "viewer" });
  expect(await change()).toEqual(Array(4).fill([403, "role_required"]));
  expect(await statusesOf(tabs)).toEqual([IN, IN]);
});

test("a revoked session is refused by every replica, and no other one", async () => {
  const [first, second] = replicas as [ControlPlane, ControlPlane];
  const { tabs } = await aMember("revoked@example.com");
  const { sessions } = (await tabs[0].ask(first, "GET", "/api/auth/sessions")).body;
  const { id } = sessions.find((one: { isCurrent: boolean }) => !one.isCurrent);
  expect((await tabs[0].ask(second, "DELETE", `/api/auth/sessions/${id}`)).status).toBe(200);
  expect(await statusesOf(tabs)).toEqual([IN, OUT]);
});

test("a changed password ends every other session at every replica", async () => {
  const { tabs } = await aMember("password@example.com");
  const passwords = { currentPassword: PASSWORD, newPassword: "another long password" };
  expect(
    (await tabs[0].ask(replicas[1] as ControlPlane, "POST", "/api/auth/password", passwords)).status,
  ).toBe(200);
  expect(await statusesOf(tabs)).toEqual([IN, OUT]);
});

test("what the operator's commands end is refused by running replicas", async () => {
  const { email, userId, tabs } = await aMember("operated@example.com");
  await operate("people", "reset-password", "--email", email);
  expect(await statusesOf(tabs)).toEqual([OUT, OUT]);
  const other = await aMember("operated-too@example.com");
  const { teamId } = (await owner.ask(replicas[0] as ControlPlane, "GET", "/api/auth/sessions")).body
    .sessions[0];
  await operate("people", "remove", "--team", teamId, "--email", other.email);
  expect(await statusesOf(other.tabs)).toEqual([OUT, OUT]);
  const { members } = (await owner.ask(replicas[0] as ControlPlane, "GET", "/api/team/members")).body;
  expect(members.map((one: { userId: string }) => one.userId)).toContain(userId);
  expect(members.map((one: { email: string }) => one.email)).not.toContain(other.email);
});

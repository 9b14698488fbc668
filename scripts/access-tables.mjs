/**
 * The cells of the access tables in docs/access.md: each route and each service of the runners' port, with the answer that each
 * credential gets. The routes' own declarations in the contract decide.
 */
import { ACCESS_RULES, API_ROUTES, OTHER_ROUTES, roleIncludes } from "@svc/contract";
import { RunnerService } from "@svc/proto/svc/runner/v1/runner_pb";

/** Credentials, in the order of the tables' columns. A foreign one is another team's: a member's key, an owner's session. */
const CREDENTIALS = [
  { title: "none" },
  { title: "key, viewer", kind: "key", role: "viewer" },
  { title: "key, member", kind: "key", role: "member" },
  { title: "session, viewer", kind: "session", role: "viewer" },
  { title: "session, member", kind: "session", role: "member" },
  { title: "session, owner", kind: "session", role: "owner" },
  { title: "display", kind: "display" },
  { title: "runner key", kind: "runner" },
  { title: "dispatch token", kind: "runner" },
  { title: "foreign key", kind: "key", role: "member", isForeign: true },
  { title: "foreign session", kind: "session", role: "owner", isForeign: true },
];

/** Returns title line and rows of the table of routes. */
export function routeTable() {
  const rows = [...API_ROUTES, ...OTHER_ROUTES].map((route) => [
    `\`${route.method} ${route.path}\``,
    `\`${route.access}\``,
    ...CREDENTIALS.map((credential) => answerOf(route, credential)),
  ]);
  return [["Route", "Access", ...CREDENTIALS.map(({ title }) => title)], rows];
}

/** Returns title line and rows of the table of the runners' port. */
export function runnerServiceTable() {
  const isAccepted = ({ title }) => (title === "runner key" ? "yes" : "401");
  const rows = [
    ...RunnerService.methods.map(({ name }) => [
      `\`${RunnerService.typeName}/${name}\``,
      ...CREDENTIALS.map(isAccepted),
    ]),
    ["`grpc.health.v1.Health/Check`", ...CREDENTIALS.map(() => "yes")],
  ];
  return [["Method", ...CREDENTIALS.map(({ title }) => title)], rows];
}

function answerOf({ path, access, forDisplays }, { kind, role, isForeign }) {
  const { credentials, role: neededRole } = ACCESS_RULES[access];
  if (credentials === "none") return "yes";
  if (credentials === "runner") return kind === "runner" ? "yes" : "401";
  if (kind === undefined || kind === "runner") return "401";
  if (credentials === "key" && kind !== "key") return "401";
  if (kind === "display") return forDisplays ? "yes" : "display";
  if (credentials === "display") return "401";
  if (credentials === "session" && kind === "key") return "session";
  if (neededRole && !roleIncludes(role, neededRole)) return "role";
  if (isForeign) return namesRecord(path) ? "404" : "own";
  return "yes";
}

/** True for a path with the id of a record; projects are named by whoever deploys them. */
function namesRecord(path) {
  return /:(id|\w+Id)(\/|$)/.test(path);
}

/** Writes the plan as a comment on the pull request: over the one that an earlier run wrote for the same folder, else as a new one. */
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const { GITHUB_API_URL, GITHUB_EVENT_PATH, GITHUB_REPOSITORY, GITHUB_TOKEN, GITHUB_WORKSPACE, SVC_PLAN } =
  process.env;
const number = JSON.parse(readFileSync(GITHUB_EVENT_PATH, "utf8")).pull_request?.number;
if (number === undefined) fail("the event is about no pull request");
// One comment for each config of a repository.
const folder = encodeURIComponent(relative(GITHUB_WORKSPACE, process.cwd()) || ".").replaceAll("--", "%2D-");
const marker = `<!-- svc plan of ${folder} -->`;
const body = `${marker}\n${readFileSync(SVC_PLAN, "utf8")}`;
const comments = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues/${number}/comments`;

const PAGES_MAX = 30;
const isOwn = await ownership();
const former = await findFormer();
if (former) await call("PATCH", former.url, { body });
else await call("POST", comments, { body });

async function findFormer() {
  for (let page = 1; page <= PAGES_MAX; page++) {
    const found = await call("GET", `${comments}?per_page=100&page=${page}`);
    const own = found.find((comment) => isOwn(comment) && comment.body?.startsWith(marker));
    if (own) return own;
    if (found.length < 100) return undefined;
  }
  return undefined;
}

/** Tells our own comments: anybody may write one that begins like them, and could change the plan in it afterwards. */
async function ownership() {
  const answer = await ask("GET", `${GITHUB_API_URL}/user`);
  // A job's own token is no person's and may not ask who it is: its comments are a bot's.
  const login = answer.ok ? (await answer.json()).login : undefined;
  return ({ user }) => (login === undefined ? user?.type === "Bot" : user?.login === login);
}

async function call(method, url, content) {
  const answer = await ask(method, url, content);
  if (!answer.ok)
    fail(
      `${method} ${new URL(url).pathname} answered ${answer.status}; the job needs "permissions: { pull-requests: write }", which pull requests from forks don't get`,
    );
  return answer.json();
}

function ask(method, url, content) {
  return fetch(url, {
    method,
    headers: {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${GITHUB_TOKEN}`,
      "x-github-api-version": "2022-11-28",
    },
    ...(content && { body: JSON.stringify(content) }),
    signal: AbortSignal.timeout(30_000),
  }).catch((error) => fail(`${GITHUB_API_URL} can't be reached: ${error.cause?.code ?? error.name}`));
}

function fail(reason) {
  console.log(`::warning title=The plan is not commented::${reason}`);
  process.exit(0);
}

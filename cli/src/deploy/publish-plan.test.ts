import { expect, it } from "vitest";
import { ciRunOf } from "./publish-plan.ts";

it.each<[string, Record<string, string>, object | null]>([
  ["a machine of one's own", { HOME: "/root", CI: "true" }, null],
  [
    "GitHub",
    {
      GITHUB_SHA: "abc",
      GITHUB_HEAD_REF: "",
      GITHUB_REF_NAME: "main",
      GITHUB_ACTOR: "ada",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "acme/shop",
      GITHUB_RUN_ID: "7",
    },
    { commit: "abc", branch: "main", author: "ada", url: "https://github.com/acme/shop/actions/runs/7" },
  ],
  [
    "GitLab",
    {
      CI_COMMIT_SHA: "def",
      CI_COMMIT_REF_NAME: "fix",
      GITLAB_USER_LOGIN: "bob",
      CI_JOB_URL: "https://gitlab.example/j/1",
    },
    { commit: "def", branch: "fix", author: "bob", url: "https://gitlab.example/j/1" },
  ],
  [
    "Jenkins",
    { GIT_COMMIT: "0a", BUILD_URL: "https://ci.example/9" },
    { commit: "0a", url: "https://ci.example/9" },
  ],
  ["a word that is no address", { GIT_COMMIT: "0a", BUILD_URL: "javascript:x" }, { commit: "0a", url: null }],
])("%s describes its run", (_, env, run) => {
  const found = ciRunOf(env);
  if (run === null) expect(found).toBeNull();
  else expect(found).toMatchObject(run);
});

import { expect, it } from "vitest";
import type { TestApp } from "../../../test-support/app.ts";
import { STATUS_PAGES_PATH as PATH } from "../../../test-support/status-page-test.ts";
import { useSubscriptions } from "../../../test-support/subscription-test.ts";
import { createSecretBox } from "../../platform/db/secret-box.ts";
import { shownEndpoint } from "./endpoint.ts";

let test: TestApp;
const { slug, aPage, subscribed } = useSubscriptions((app) => {
  test = app;
});

const add = (page: { id: string }, url: string) =>
  test.call("POST", `${PATH}/${page.id}/subscribers`, { url });
const listed = async (page: { id: string }) =>
  (await test.call("GET", `${PATH}/${page.id}/subscribers`)).body.subscribers as {
    id: string;
    address: string;
    fingerprint: string | null;
  }[];

it("webhooks of one host look different in the list, which tells nothing of their URLs beyond the host", async () => {
  const page = await aPage();
  const urls = ["a", "b", "a?token=1", "a?token=2"].map((rest) => `https://hooks.example/T0S3CRET/${rest}`);
  const created = [];
  for (const url of urls) created.push((await add(page, url)).body.subscriber);
  await subscribed(page, ["ada@example.com"]);
  const all = await listed(page);
  const webhooks = all.filter(({ fingerprint }) => fingerprint !== null);
  expect(webhooks.map(({ address }) => address)).toEqual(urls.map(() => "https://hooks.example/***"));
  expect(new Set(webhooks.map(({ fingerprint }) => fingerprint)).size).toBe(urls.length);
  for (const { fingerprint } of webhooks) expect(fingerprint).toMatch(/^[0-9a-f]{8}$/);
  expect(JSON.stringify(all)).not.toMatch(/T0S3CRET|token/);
  // The answer of the creation, which has the secret, names the fingerprint by which the list shows the webhook.
  for (const { id, fingerprint } of created)
    expect(webhooks.find((one) => one.id === id)?.fingerprint).toBe(fingerprint);
  expect(all.filter(({ fingerprint }) => fingerprint === null)).toMatchObject([
    { address: "ada@example.com" },
  ]);
});

it("a URL has one fingerprint, whichever way it is written and on whichever page", async () => {
  const [page, another] = [await aPage(), await aPage({ slug: `${slug()}-2` })];
  await add(page, "https://A.example:443/hook");
  await add(another, "https://a.example/hook");
  const [[one], [other]] = [await listed(page), await listed(another)];
  expect(one?.fingerprint).toBe(other?.fingerprint);
});

it("a URL's fingerprint can't be computed without the service's key", () => {
  const url = "https://a.example/hook";
  const [first, second] = ["x", "y"].map(
    (key) => shownEndpoint(createSecretBox(key.repeat(32)), { url }).fingerprint,
  );
  expect(first).not.toBe(second);
});

it("the refusal of a URL that is there names the webhook that has it", async () => {
  const page = await aPage();
  await add(page, "https://a.example/1");
  const { body } = await add(page, "https://a.example/2");
  const again = await add(page, "https://a.example/2");
  expect([again.status, again.body.error]).toEqual([409, expect.stringContaining(body.subscriber.id)]);
});

it("a webhook that no known key opens has neither address nor fingerprint, and can be removed", async () => {
  const page = await aPage();
  const { body } = await add(page, "https://a.example/1");
  const { id } = body.subscriber;
  const sealed = createSecretBox("another-key-of-32-characters-....").seal("{}", id);
  await test.services.knex("statusSubscribers").where({ id }).update({ endpointSealed: sealed });
  expect(await listed(page)).toMatchObject([{ id, address: "***", fingerprint: null }]);
  expect((await test.call("DELETE", `${PATH}/${page.id}/subscribers/${id}`)).status).toBe(200);
});

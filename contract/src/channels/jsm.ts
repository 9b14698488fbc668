import * as z from "zod";
import { baseUrlSchema, tokenSchema } from "../base/fields.ts";
import { closedObject } from "../base/objects.ts";
import { defineChannel } from "./define-channel.ts";

/** Alerts of Jira Service Management, by the key of one of its API integrations. */
export const jsmChannel = defineChannel(
  closedObject({
    type: z.literal("jsm").meta({ title: "Jira Service Management" }),
    apiKey: tokenSchema("an API key").describe(
      "Key of an API integration of a Jira Service Management team.",
    ),
    apiUrl: baseUrlSchema
      .default("https://api.atlassian.com/jsm/ops/integration")
      .describe("Base of the API; https://api.opsgenie.com or https://api.eu.opsgenie.com for Opsgenie."),
  }),
  {
    audience: "page",
    secretFields: { apiKey: "whole" },
    secretDestinations: { apiKey: ["apiUrl"] },
    destinationField: "apiUrl",
    fields: "`apiKey`, `apiUrl` (`https://api.atlassian.com/jsm/ops/integration`)",
    sends:
      "Jira Service Management's integration API for alerts, which Opsgenie has, too: create, acknowledge, close, add a note; the incident's id is the alias",
  },
);

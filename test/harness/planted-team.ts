/** A team with a credential of its own at every place where one can be written, and a target that repeats what it is sent. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { TEST_CERTIFICATE, TEST_KEY } from "../../contract/test-support/tls.ts";
import type { ControlPlane } from "./control-plane.ts";

/** Secrets of the team, by name: checks refer to them, and nothing at all answers them. */
export const VAULT = {
  HTTP_TOKEN: "planted-vault-http/+ä=1",
  MCP_TOKEN: "planted-vault-mcp-argument",
  SCRIPT_TOKEN: "planted-vault-script",
};

/** Credentials written into checks, by place. */
export const IN_CHECKS = {
  header: "planted-check-header",
  body: "planted-check-body",
  bearer: "planted-check-bearer",
  basicUser: "planted-check-basic-user",
  basicPassword: "planted-check-basic-password",
  apiKey: "planted-check-api-key",
  urlUser: "planted-check-url-user",
  urlPassword: "planted-check-url-password",
  urlParameter: "planted-check-url-parameter",
  script: "planted-check-script",
  mcpParameter: "planted-check-mcp-parameter",
  mcpBearer: "planted-check-mcp-bearer",
  mcpArgument: "planted-check-mcp-argument",
  proxyPassword: "planted-check-proxy-password",
  proxyAuthorization: Buffer.from("watch:planted-check-proxy-password").toString("base64"),
  clientKey: "planted-check-client-key",
};

/** Credentials written into channels, by place. */
export const IN_CHANNELS = {
  webhookPath: "planted-channel-webhook-path",
  webhookHeader: "planted-channel-webhook-header",
  chat: "planted-channel-chat",
  slack: "planted-channel-slack",
  msteams: "planted-channel-msteams",
  telegram: "planted-channel-telegram",
  jsm: "planted-channel-jsm",
  ntfyTopic: "planted-channel-ntfy-topic",
  ntfyToken: "planted-channel-ntfy-token",
  discord: "planted-channel-discord",
  routingKey: "planted-channel-routing-key",
  ticketingUser: "planted-channel-ticketing-user",
  ticketingPassword: "planted-channel-ticketing-password",
  ticketingParameter: "planted-channel-ticketing-parameter",
};

/** Credentials of the export and of a spec's source, by place. */
export const IN_TEAM = {
  telemetryParameter: "planted-telemetry-parameter",
  telemetryHeader: "planted-telemetry-header",
  specParameter: "planted-spec-parameter",
};

/** A local server for targets, channels and a spec. */
export interface EchoServer {
  /** Address without scheme: `127.0.0.1:1234`. */
  host: string;
  /** Bodies of the requests to `/hook...`, which are those of notifications. */
  notifications: string[];
  /** All requests, with everything that they carried. */
  requests: string[];
  close(): void;
}

/** Starts a server that fails every request but those of notifications and of the spec, and repeats each in its answer. */
export async function startEchoServer(): Promise<EchoServer> {
  const notifications: string[] = [];
  const requests: string[] = [];
  const server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const path = request.url ?? "/";
    const repeated = JSON.stringify({ url: path, headers: request.headers, body });
    requests.push(repeated);
    response.setHeader("content-type", "application/json");
    if (path.startsWith("/hook") || path.startsWith("/api/now")) {
      notifications.push(body);
      response.end(JSON.stringify({ ok: true, id: "1", result: { sys_id: "1", number: "INC1" } }));
    } else if (path.startsWith("/spec")) {
      response.end(JSON.stringify({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: {} }));
    } else if (path.startsWith("/mcp")) answerMcp(response, body, repeated);
    else {
      response.statusCode = 500;
      response.setHeader("x-echo", [path, String(request.headers["x-own"])]);
      response.end(repeated);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    notifications,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Answers as an MCP server whose one tool fails and repeats the request. */
function answerMcp(response: http.ServerResponse, body: string, repeated: string): void {
  const { id, method } = JSON.parse(body || "{}");
  if (id === undefined) return void response.writeHead(202).end();
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "echo", version: "1" },
    },
    "tools/list": { tools: [{ name: "echo", inputSchema: { type: "object" } }] },
    "tools/call": { isError: true, content: [{ type: "text", text: repeated }] },
  };
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
}

/** Ids of what was planted. */
export interface PlantedTeam {
  checks: string[];
  channels: string[];
}

/** Writes a credential of its own at every place; checks run every 10 s at the location, and alert after one failure. */
export async function plantTeam(
  controlPlane: ControlPlane,
  { host, locationId, otlpUrl }: { host: string; locationId: string; otlpUrl: string },
): Promise<PlantedTeam> {
  for (const [name, value] of Object.entries(VAULT))
    await controlPlane.ok("POST", "/api/secrets", { name, value });
  await controlPlane.ok("PUT", "/api/telemetry", {
    endpoint: `${otlpUrl}/?api_key=${IN_TEAM.telemetryParameter}`,
    headers: { "X-Key": IN_TEAM.telemetryHeader },
    traces: true,
    metrics: true,
  });
  await controlPlane.ok("POST", "/api/specs", {
    sourceType: "url",
    name: "spec",
    sourceUrl: `http://${host}/spec?token=${IN_TEAM.specParameter}`,
  });
  const channels: string[] = [];
  for (const channel of channelConfigs(host)) {
    const body = { name: `${channel.type} channel`, channel };
    const created = await controlPlane.ok<{ channel: { id: string } }>(
      "POST",
      "/api/notification-channels",
      body,
    );
    channels.push(created.channel.id);
  }
  const checks: string[] = [];
  for (const [number, config] of checkConfigs(host).entries()) {
    const { check } = await controlPlane.ok<{ check: { id: string } }>("POST", "/api/checks", {
      name: `check ${number}`,
      frequencySeconds: config.type === "browser" ? 60 : 10,
      locations: [locationId],
      ...config,
    });
    checks.push(check.id);
    await controlPlane.ok("POST", `/api/checks/${check.id}/alerts`, {
      conditions: [{ type: "consecutive_failures", count: 1 }],
      channelIds: channels,
    });
  }
  return { checks, channels };
}

function channelConfigs(host: string) {
  return [
    {
      type: "webhook",
      url: `http://${host}/hook/${IN_CHANNELS.webhookPath}`,
      headers: { "X-Token": IN_CHANNELS.webhookHeader },
    },
    { type: "chat", webhookUrl: `http://${host}/hook/${IN_CHANNELS.chat}` },
    { type: "slack", botToken: IN_CHANNELS.slack, channel: "C1", apiUrl: `http://${host}/hook` },
    { type: "msteams", webhookUrl: `http://${host}/hook/${IN_CHANNELS.msteams}` },
    { type: "discord", webhookUrl: `http://${host}/hook/${IN_CHANNELS.discord}` },
    { type: "telegram", botToken: IN_CHANNELS.telegram, chatId: "1", apiUrl: `http://${host}/hook` },
    { type: "jsm", apiKey: IN_CHANNELS.jsm, apiUrl: `http://${host}/hook` },
    {
      type: "ntfy",
      topicUrl: `http://${host}/hook/${IN_CHANNELS.ntfyTopic}`,
      token: IN_CHANNELS.ntfyToken,
    },
    { type: "paging", routingKey: IN_CHANNELS.routingKey },
    {
      type: "ticketing",
      instanceUrl: `http://${host}/?token=${IN_CHANNELS.ticketingParameter}`,
      username: IN_CHANNELS.ticketingUser,
      password: IN_CHANNELS.ticketingPassword,
      assignmentGroup: "ops",
    },
    { type: "email", addresses: ["ops@example.com"] },
  ];
}

function checkConfigs(host: string): ({ type: string } & Record<string, unknown>)[] {
  const post = { method: "POST", assertions: [{ type: "status_code", value: 200 }] };
  return [
    {
      type: "http",
      httpConfig: {
        ...post,
        url: `http://${IN_CHECKS.urlUser}:${IN_CHECKS.urlPassword}@${host}/?api_key=${IN_CHECKS.urlParameter}`,
        headers: { "X-Own": IN_CHECKS.header, "X-Vault": "{{vault.MCP_TOKEN}}" },
        body: `${IN_CHECKS.body} {{vault.HTTP_TOKEN}}`,
      },
    },
    {
      type: "http",
      httpConfig: {
        ...post,
        url: `http://${host}/bearer`,
        auth: { type: "bearer", token: IN_CHECKS.bearer },
      },
    },
    {
      type: "http",
      httpConfig: {
        ...post,
        url: `http://${host}/basic`,
        auth: { type: "basic", username: IN_CHECKS.basicUser, password: IN_CHECKS.basicPassword },
      },
    },
    {
      type: "http",
      httpConfig: { ...post, url: `http://${host}/key`, auth: { type: "api-key", value: IN_CHECKS.apiKey } },
    },
    {
      type: "http",
      httpConfig: {
        ...post,
        url: `http://${host}/proxied`,
        proxyUrl: `http://${host}`,
        proxyUsername: "watch",
        proxyPassword: IN_CHECKS.proxyPassword,
      },
    },
    {
      type: "http",
      httpConfig: {
        ...post,
        url: `https://${host}/`,
        clientCertificate: TEST_CERTIFICATE,
        clientKey: `${IN_CHECKS.clientKey}\n${TEST_KEY}`,
      },
    },
    {
      type: "mcp",
      mcpConfig: {
        endpoint: `http://${host}/mcp?api_key=${IN_CHECKS.mcpParameter}`,
        auth: { type: "bearer", token: IN_CHECKS.mcpBearer },
        testCalls: [
          { toolName: "echo", arguments: { token: IN_CHECKS.mcpArgument, text: "{{vault.MCP_TOKEN}}" } },
        ],
      },
    },
    {
      type: "browser",
      browserConfig: {
        browserMode: "scripted",
        screenshotMode: "disabled",
        script: `const unused = "${IN_CHECKS.script}";\nawait page.goto("http://${host}/page?value={{vault.SCRIPT_TOKEN}}");\nthrow new Error("not signed in with {{vault.SCRIPT_TOKEN}}");\n`,
      },
    },
  ];
}

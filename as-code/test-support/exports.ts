/** Exports of the tools that monitors are imported from, written for tests by the forms that the tools document. */

/** Alerts to chat and mail, conditions of every kind, variables. */
export const GATUS = `
alerting:
  slack:
    webhook-url: "\${SLACK_WEBHOOK}"
    default-alert: { description: "site is down", failure-threshold: 5, send-on-resolved: true }
  email: { from: a@example.com, username: a, password: "mail-pass-1", host: mail.example.com, port: 587, to: "ops@example.com, dev@example.com" }
  pagerduty: { integration-key: "0123456789abcdef0123456789abcdef" }
  custom:
    url: "https://hooks.example.com/in?token=custom-token-1"
    method: POST
    headers: { X-Hook: "hook-secret-1", Content-Type: application/json }
    body: '{"text":"[ENDPOINT_NAME]"}'
  telegram: { token: "123456:telegram-token", id: "1" }
endpoints:
  - &web
    name: home
    group: web
    url: "https://example.org/"
    interval: 30s
    headers:
      Authorization: "Bearer \${API_TOKEN}"
      X-Plain: "plain-secret-1"
      Accept: text/html
    client: { insecure: true, timeout: 5s, ignore-redirect: true }
    conditions:
      - "[STATUS] == 200"
      - "[RESPONSE_TIME] < 500"
      - "[BODY].user.name == john"
      - "[BODY].count == 3"
      - "[BODY].data[0].id != 7"
      - "has([BODY].errors) == false"
      - "[BODY].name == pat(*oh*)"
      - "[CERTIFICATE_EXPIRATION] > 48h"
      - "[CONNECTED] == true"
      - "len([BODY].data) > 3"
      - "[BODY] == pat(*hello*)"
      - "[BODY] != pat(*exception*)"
    alerts:
      - type: slack
      - type: email
        failure-threshold: 2
        success-threshold: 4
        description: "mail about it"
      - type: telegram
      - type: pagerduty
        enabled: false
  - <<: *web
    group: api
    enabled: false
    url: "https://\${API_HOST}/login?key=url-secret-1"
    method: POST
    body: '{"username":"bob","password":"body-secret-1","n":1}'
    conditions: ["[STATUS] == any(200, 201)", "[STATUS] <= 299"]
    alerts: []
  - name: graph
    url: "https://example.org/graphql"
    graphql: true
    body: "{ users { name } }"
    conditions: ["[STATUS] < 300"]
    alerts: [{ type: custom }]
  - name: database
    url: "tcp://db.example.org:5432"
    conditions: ["[CONNECTED] == true"]
  - name: names
    url: "8.8.8.8"
    dns: { query-name: example.org, query-type: A }
    conditions: ["[DNS_RCODE] == NOERROR", "[BODY] == 93.184.216.34"]
  - name: echo
    url: "icmp://example.org"
    conditions: ["[CONNECTED] == true"]
`;

/** blackbox_exporter's modules. */
export const BLACKBOX_MODULES = `
modules:
  http_2xx:
    prober: http
    timeout: 5s
  http_login:
    prober: http
    timeout: 20s
    http:
      valid_status_codes: [200, 201, 202]
      method: POST
      headers: { X-Team: "team-secret-1" }
      body: '{"user":"u","token":"body-token-1"}'
      follow_redirects: false
      fail_if_body_matches_regexp: ["(?i)error", "Exception"]
      fail_if_body_not_matches_regexp: ["welcome"]
      fail_if_header_not_matches: [{ header: Server, regexp: "nginx", allow_missing: false }]
      basic_auth: { username: admin, password: "basic-pass-1" }
      tls_config: { insecure_skip_verify: true }
  http_file:
    prober: http
    http: { authorization: { credentials_file: /etc/secrets/token } }
  tcp_connect: { prober: tcp }
  icmp: { prober: icmp }
  unused: { prober: dns, dns: { query_name: example.org, query_type: A } }
`;

/** The jobs of a Prometheus that probe by these modules. */
export const BLACKBOX_JOBS = `
global: { scrape_interval: 15s }
scrape_configs:
  - job_name: prometheus
    static_configs: [{ targets: ["localhost:9090"] }]
  - job_name: web
    metrics_path: /probe
    params: { module: [http_2xx] }
    static_configs:
      - targets: ["https://example.org", "example.com/health"]
        labels: { team: shop, __meta: x }
    relabel_configs: &relabel
      - source_labels: [__address__]
        target_label: __param_target
      - source_labels: [__param_target]
        target_label: instance
      - target_label: __address__
        replacement: 127.0.0.1:9115
  - job_name: login
    metrics_path: /probe
    scrape_interval: 5s
    params: { module: [http_login] }
    relabel_configs: *relabel
    static_configs: [{ targets: ["https://example.org"] }]
    file_sd_configs: [{ files: ["targets/*.yml"] }]
  - job_name: others
    metrics_path: /probe
    params: { module: [tcp_connect] }
    relabel_configs: *relabel
    static_configs: [{ targets: ["db.example.org:5432"] }, { targets: ["https://files.example.org"], labels: { __param_module: http_file } }]
  - job_name: gone
    metrics_path: /probe
    params: { module: [missing] }
    relabel_configs: *relabel
    static_configs: [{ targets: ["https://gone.example.org"] }]
`;

/** Grafana Synthetic Monitoring: checks, and the probes that they name by id. */
export const GRAFANA = {
  probes: [
    { id: 1, name: "Frankfurt", region: "EMEA", latitude: 50.1, longitude: 8.6, public: true },
    { id: 2, name: "SaoPaulo", region: "AMER", latitude: -23.5, longitude: -46.6, public: true },
    { id: 3, name: "Atlanta", region: "AMER", latitude: 33.7, longitude: -84.3, public: true },
  ],
  checks: [
    {
      id: 10,
      tenantId: 1,
      job: "shop",
      target: "https://shop.example.com/",
      frequency: 60000,
      timeout: 3000,
      enabled: true,
      probes: [1, 2, 3],
      labels: [{ name: "team", value: "shop front" }],
      alertSensitivity: "high",
      settings: {
        http: {
          ipVersion: "V4",
          method: "POST",
          headers: ["X-Key: grafana-secret-1", "broken"],
          body: "x=1",
          noFollowRedirects: true,
          bearerToken: "grafana-token-1",
          validStatusCodes: [200, 404],
          failIfBodyNotMatchesRegexp: ["ok"],
          failIfHeaderMatchesRegexp: [{ header: "Via", regexp: ".*", allowMissing: true }],
          tlsConfig: { insecureSkipVerify: true },
        },
      },
    },
    {
      id: 11,
      job: "echo",
      target: "example.org",
      frequency: 120000,
      timeout: 2000,
      probes: [9],
      settings: { ping: {} },
    },
    {
      id: 12,
      job: "flow",
      target: "https://a.example.com",
      frequency: 60000,
      probes: [1],
      settings: { scripted: { script: "" } },
    },
    {
      id: 13,
      job: "shop",
      target: "https://b.example.com",
      frequency: 5000,
      timeout: 500000,
      probes: [],
      settings: { http: { method: "GET" } },
    },
  ],
};

/** Uptime Kuma 1's backup. */
export const UPTIME_KUMA = {
  version: "1.23.13",
  notificationList: [
    {
      id: 1,
      name: "Chat",
      active: true,
      isDefault: true,
      config: '{"type":"slack","slackwebhookURL":"https://hooks.example.com/kuma-secret-1"}',
    },
    {
      id: 2,
      name: "Mail",
      config: JSON.stringify({
        type: "smtp",
        smtpTo: "ops@example.com;dev@example.com",
        smtpPassword: "smtp-pass-1",
      }),
    },
    { id: 3, name: "Phone", config: '{"type":"pushover","pushoveruserkey":"pushover-key-1"}' },
    {
      id: 4,
      name: "Hook",
      config: {
        type: "webhook",
        webhookURL: "https://hooks.example.com/in",
        webhookAdditionalHeaders: '{"X-Key":"kuma-hook-1"}',
      },
    },
    {
      id: 5,
      name: "Game",
      config:
        '{"type":"discord","discordWebhookUrl":"https://discord.example/api/webhooks/1/kuma-discord-1"}',
    },
  ],
  monitorList: [
    { id: 9, name: "Shop", type: "group", interval: 60, maxretries: 0 },
    {
      id: 10,
      name: "Home",
      type: "keyword",
      url: "https://shop.example.com/?api_key=kuma-url-1",
      method: "GET",
      interval: 20,
      retryInterval: 20,
      maxretries: 2,
      timeout: 16,
      keyword: "Welcome",
      invertKeyword: false,
      expiryNotification: true,
      ignoreTls: true,
      maxredirects: 0,
      accepted_statuscodes: ["200-299", "401"],
      active: 1,
      parent: 9,
      notificationIDList: { 1: true, 2: true, 3: true },
      tags: [
        { tag_id: 1, name: "env", value: "prod eu", color: "#fff" },
        { name: "critical", value: "" },
      ],
      headers: '{"Authorization":"Bearer kuma-token-1"}',
      basic_auth_user: "kuma-user-1",
      basic_auth_pass: "kuma-pass-1",
      proxyId: 3,
    },
    {
      id: 11,
      name: "Home",
      type: "json-query",
      url: "https://api.example.com/",
      interval: 60,
      maxretries: 0,
      accepted_statuscodes: ["200"],
      jsonPath: "$.status",
      expectedValue: "ok",
      active: false,
      method: "POST",
      body: '{"password":"kuma-body-1"}',
    },
    {
      id: 12,
      name: "Complex",
      type: "json-query",
      url: "https://api.example.com/",
      interval: 5,
      maxretries: 0,
      accepted_statuscodes: ["200-299"],
      jsonPath: "$sum(items.price)",
      expectedValue: "3",
    },
    {
      id: 13,
      name: "Down is well",
      type: "http",
      url: "https://x.example.com/",
      interval: 60,
      maxretries: 0,
      accepted_statuscodes: ["200-299"],
      upsideDown: true,
    },
    {
      id: 14,
      name: "Database",
      type: "port",
      hostname: "db.example.com",
      port: 5432,
      interval: 60,
      maxretries: 1,
      accepted_statuscodes: ["200-299"],
    },
    {
      id: 15,
      name: "Options",
      type: "http",
      url: "https://x.example.com/",
      method: "OPTIONS",
      interval: 60,
      maxretries: 0,
      accepted_statuscodes: ["200-299"],
    },
    {
      id: 16,
      name: "Inverse",
      type: "keyword",
      url: "https://x.example.com/",
      interval: 60,
      maxretries: 0,
      accepted_statuscodes: ["200-299"],
      keyword: "a.b",
      invertKeyword: true,
    },
  ],
};

/** Datadog's list of tests. */
export const DATADOG = {
  tests: [
    {
      public_id: "abc-def-ghi",
      name: "Orders",
      type: "api",
      subtype: "http",
      status: "live",
      tags: ["env:prod", "team:shop front"],
      locations: ["aws:eu-central-1", "aws:us-west-1", "gcp:us-west1"],
      message: "Orders fail. @ops@example.com, @slack-ops (see @pagerduty-Shop)",
      config: {
        request: {
          url: "https://api.example.com/orders?page=1",
          method: "POST",
          timeout: 200,
          headers: { "X-Key": "{{ API_KEY }}", "X-Static": "datadog-secret-1" },
          query: { token: "datadog-query-1", lang: "de" },
          body: '{"password":"{{ PASSWORD }}","pin":"datadog-body-1"}',
          basicAuth: { type: "web", username: "datadog-user-1", password: "{{ PASSWORD }}" },
        },
        assertions: [
          { type: "statusCode", operator: "is", target: 200 },
          { type: "statusCode", operator: "matches", target: "2\\d{2}" },
          { type: "responseTime", operator: "lessThan", target: 1000 },
          { type: "header", property: "content-type", operator: "contains", target: "json" },
          { type: "header", property: "server", operator: "doesNotContain", target: "x" },
          { type: "body", operator: "doesNotContain", target: "error (fatal)" },
          {
            type: "body",
            operator: "validatesJSONPath",
            target: { jsonPath: "$.items[0].id", operator: "is", targetValue: 7 },
          },
          {
            type: "body",
            operator: "validatesJSONPath",
            target: { jsonPath: "$..id", operator: "is", targetValue: 7 },
          },
          { type: "constructor", operator: "is", target: 1 },
          { type: "javascript", code: "dd.expect(1)" },
        ],
        configVariables: [
          { name: "PASSWORD", type: "global", id: "x" },
          { name: "API_KEY", type: "text", pattern: "{{ numeric(3) }}" },
        ],
      },
      options: {
        tick_every: 60,
        min_failure_duration: 180,
        min_location_failed: 1,
        retry: { count: 2, interval: 500 },
        follow_redirects: true,
        allow_insecure: true,
      },
    },
    {
      public_id: "b",
      name: "Orders",
      type: "api",
      subtype: "http",
      status: "paused",
      locations: ["pl:private-1"],
      tags: [],
      message: "",
      config: { request: { url: "https://b.example.com", method: "GET" }, assertions: [] },
      options: { tick_every: 604800, min_location_failed: 2 },
    },
    {
      public_id: "c",
      name: "Certificate",
      type: "api",
      subtype: "ssl",
      config: { request: { host: "example.com", port: 443 }, assertions: [] },
      options: { tick_every: 60 },
    },
    { public_id: "d", name: "Flow", type: "browser", config: {}, options: { tick_every: 300 } },
    {
      public_id: "e",
      name: "Steps",
      type: "api",
      subtype: "multi",
      config: { steps: [{ subtype: "grpc", request: {} }] },
      options: { tick_every: 300 },
    },
    {
      public_id: "f",
      name: "Buy",
      type: "api",
      subtype: "multi",
      config: {
        steps: [
          {
            name: "Log in",
            subtype: "http",
            request: {
              method: "POST",
              url: "https://shop.example.com/login",
              headers: { "Content-Type": "application/json" },
              body: '{"user":"{{ SHOP_USER }}","password":"datadog-step-body-1"}',
              timeout: 20,
            },
            assertions: [{ type: "statusCode", operator: "is", target: 200 }],
            extractedValues: [
              {
                name: "TOKEN",
                secure: true,
                type: "http_body",
                parser: { type: "json_path", value: "$.token" },
              },
              {
                name: "SESSION",
                type: "http_header",
                field: "set-cookie",
                parser: { type: "regex", value: "session=([^;]+)" },
              },
              { name: "WHOLE", type: "http_body", parser: { type: "raw" } },
            ],
            retry: { count: 1, interval: 300 },
          },
          { name: "Wait", subtype: "wait", value: 3 },
          {
            name: "Log in",
            subtype: "http",
            allowFailure: true,
            request: {
              method: "GET",
              url: "https://shop.example.com/orders/{{ SESSION }}",
              headers: { Authorization: "Bearer {{TOKEN}}", "X-Key": "{{ API_KEY }}" },
              basicAuth: { type: "web", username: "shop", password: "datadog-step-pass-1" },
            },
            assertions: [],
          },
        ],
      },
      options: { tick_every: 300 },
    },
  ],
};

/** Checkly's lists, as three answers of its API. */
export const CHECKLY = [
  [
    {
      id: "11111111-1111-4111-8111-111111111111",
      name: "Orders API",
      checkType: "API",
      frequency: 5,
      activated: true,
      muted: false,
      shouldFail: false,
      locations: ["eu-central-1", "us-west-1"],
      tags: ["api"],
      groupId: 7,
      degradedResponseTime: 2000,
      maxResponseTime: 5000,
      doubleCheck: true,
      retryStrategy: {
        type: "LINEAR",
        baseBackoffSeconds: 5,
        maxRetries: 9,
        maxDurationSeconds: 600,
        sameRegion: true,
      },
      alertChannelSubscriptions: [
        { alertChannelId: 1, activated: true },
        { alertChannelId: 3, activated: true },
      ],
      alertSettings: {
        escalationType: "RUN_BASED",
        runBasedEscalation: { failedRunThreshold: 2 },
        reminders: { amount: 2, interval: 5 },
      },
      useGlobalAlertSettings: false,
      sslCheckDomain: "api.example.com",
      localSetupScript: "request.headers.x = 1",
      request: {
        method: "POST",
        url: "{{GROUP_BASE_URL}}/orders",
        headers: [
          { key: "X-Key", value: "{{API_KEY}}", locked: true },
          { key: "X-Static", value: "checkly-secret-1" },
        ],
        queryParameters: [{ key: "q", value: "a b" }],
        body: '{"token":"checkly-body-1"}',
        bodyType: "JSON",
        basicAuth: { username: "", password: "" },
        followRedirects: false,
        skipSSL: true,
        assertions: [
          { source: "STATUS_CODE", comparison: "EQUALS", target: "200", property: "", regex: null },
          { source: "JSON_BODY", comparison: "EQUALS", target: "3", property: "$.count" },
          { source: "JSON_BODY", comparison: "GREATER_THAN", target: "3", property: "$.length" },
          { source: "HEADERS", comparison: "CONTAINS", target: "json", property: "content-type" },
          { source: "TEXT_BODY", comparison: "NOT_CONTAINS", target: "error" },
          { source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "900" },
        ],
      },
    },
    {
      id: "2",
      name: "Checkout",
      checkType: "BROWSER",
      frequency: 0,
      frequencyOffset: 30,
      activated: false,
      locations: ["eu-west-2"],
      tags: [],
      script:
        'import { test } from "@playwright/test";\ntest("x", async ({ page }) => {\n  await page.goto(process.env.URL ?? "https://example.org/${path}");\n});\n',
      alertChannelSubscriptions: [],
    },
    {
      id: "5",
      name: "API flow",
      checkType: "MULTI_STEP",
      frequency: 10,
      activated: true,
      locations: ["us-east-1"],
      script:
        'import { test } from "@playwright/test";\ntest("flow", async ({ request }) => {\n  await request.get("https://example.org/");\n});\n',
    },
    {
      id: "3",
      name: "Nightly",
      checkType: "HEARTBEAT",
      frequency: 1440,
      heartbeat: { period: 1, periodUnit: "days", grace: 30, graceUnit: "minutes" },
    },
    {
      id: "4",
      name: "Port",
      checkType: "TCP",
      frequency: 1,
      request: { hostname: "db.example.com", port: 5432 },
    },
    {
      id: "5",
      name: "Page",
      checkType: "URL",
      frequency: 10,
      activated: true,
      locations: [],
      privateLocations: ["office"],
      shouldFail: true,
      request: { url: "https://{{HOST}}/page", assertions: [] },
    },
  ],
  [
    {
      id: 7,
      name: "Shop",
      activated: true,
      tags: ["shop"],
      locations: ["eu-west-1"],
      apiCheckDefaults: {
        url: "https://api.example.com",
        headers: [{ key: "X-Group", value: "checkly-group-1" }],
        queryParameters: [],
        assertions: [],
        basicAuth: { username: "checkly-user-1", password: "checkly-pass-1" },
      },
      environmentVariables: [],
      alertChannelSubscriptions: [{ alertChannelId: 2, activated: true }],
    },
  ],
  [
    {
      id: 1,
      type: "EMAIL",
      config: { address: "ops@example.com" },
      sendFailure: true,
      sendDegraded: true,
      sslExpiry: true,
      sslExpiryThreshold: 10,
      subscriptions: [],
    },
    {
      id: 2,
      type: "SLACK",
      config: { url: "https://hooks.example.com/checkly-slack-1", channel: "#ops" },
      sendFailure: true,
    },
    { id: 3, type: "SMS", config: { number: "+4912345" } },
    {
      id: 4,
      type: "WEBHOOK",
      config: {
        name: "Hook",
        webhookType: "WEBHOOK",
        url: "https://hooks.example.com/a?b=checkly-hook-1",
        method: "POST",
        headers: [],
        template: "{}",
      },
      subscriptions: [{ checkId: "5", activated: true }],
    },
  ],
];

/** Every export, as contents of files, by the name of its source. */
export const EXPORTS: Readonly<Record<string, readonly (string | object)[]>> = {
  checkly: CHECKLY,
  "uptime-kuma": [UPTIME_KUMA],
  datadog: [DATADOG],
  grafana: [GRAFANA],
  gatus: [GATUS],
  blackbox: [BLACKBOX_MODULES, BLACKBOX_JOBS],
};

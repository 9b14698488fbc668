/** Gatus's configuration, for tests. */

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
  telegram: { token: "123456:telegram-token-1", id: "-1001", topic-id: "7" }
  ntfy: { topic: "gatus-topic-key-1", token: "tk-ntfy-token-1", url: "https://push.example.com/" }
  opsgenie: { api-key: "\${OPSGENIE_KEY}" }
  gotify: { token: "gotify-token-1", server-url: "https://gotify.example.com" }
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
    client: { insecure: true, timeout: 5s, ignore-redirect: true, proxy-url: "http://gatus:proxy-pass-1@proxy.example.com:3128" }
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
  - { name: mail, url: "starttls://smtp.example.com:587", interval: 60s, conditions: ["[CONNECTED] == true", "[CERTIFICATE_EXPIRATION] > 48h"] }
`;

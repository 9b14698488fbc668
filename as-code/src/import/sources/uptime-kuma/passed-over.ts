/** Parts of Uptime Kuma's monitors that say nothing about a check: every monitor has the settings of all types. */
import type { Item } from "../../item.ts";

/** Ids, dates, and how Uptime Kuma shows a monitor. */
const ALWAYS = [
  "id",
  "userId",
  "user_id",
  "createdDate",
  "created_date",
  "description",
  "pathName",
  "path",
  "weight",
  "childrenIDs",
  "forceInactive",
  "includeSensitiveData",
  "screenshot",
  "dns_last_result",
  "ping_numeric",
  "retryInterval",
  "retryOnlyOnStatusCodeFailure",
  "maxretries",
  "interval",
  "active",
  "parent",
  "notificationIDList",
  "expiryNotification",
];

/** Settings by the types of monitors that alone have them; in other monitors they stand at their defaults. */
const BY_TYPE: readonly (readonly [settings: RegExp, types: readonly string[]])[] = [
  [
    /^(?:method|body|headers|httpBodyEncoding|maxredirects|cacheBust|authMethod|basic_auth_\w+|bearer_token|proxyId|tls(?:Ca|Cert|Key)|auth(?:Workstation|Domain)|oauth_\w+)$/,
    ["http", "keyword", "json-query"],
  ],
  [/^(?:ignoreTls|accepted_statuscodes|url)$/, ["http", "keyword", "json-query", "websocket-upgrade"]],
  [/^(?:keyword|invertKeyword)$/, ["keyword"]],
  [/^(?:jsonPath|jsonPathOperator|expectedValue)$/, ["json-query"]],
  [/^hostname$/, ["port", "ping", "dns"]],
  [/^port$/, ["port", "dns"]],
  [/^(?:dns_resolve_\w+|conditions)$/, ["dns"]],
  [/^(?:packetSize|ping_\w+)$/, ["ping"]],
  [/^ws[A-Z]/, ["websocket-upgrade"]],
  [/^pushToken$/, ["push"]],
  [/^smtpSecurity$/, ["port"]],
  [/^timeout$/, ["http", "keyword", "json-query", "port", "ping", "dns", "websocket-upgrade"]],
  [
    /^(?:mqtt|docker_|database|grpc|radius|kafka|rabbitmq|snmp|game|gamedig|remote_browser|remoteBrowser|manual_?|oauth)/,
    [],
  ],
];

/** Passes over the members of a monitor that say nothing about its check. */
export function passOver(monitor: Item): void {
  monitor.skip(...ALWAYS);
  const type = monitor.get("type").text() ?? "";
  for (const name of monitor.names())
    if (BY_TYPE.some(([settings, types]) => settings.test(name) && !types.includes(type))) monitor.skip(name);
  for (const tag of monitor.get("tags").items())
    tag.skip("id", "tag_id", "monitor_id", "color", "created_date");
}

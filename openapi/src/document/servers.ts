/** Servers: the base URLs that paths are appended to. */
import { isObject } from "./pointer.ts";
import { storable } from "./storable.ts";

/** Returns an operation's base URLs: its own, else the path's, else the document's. Variables have their default values. */
export function serverUrls(
  document: Record<string, unknown>,
  item: Record<string, unknown>,
  operation: Record<string, unknown>,
): string[] {
  const servers = [operation.servers, item.servers, document.servers].find(
    (list): list is unknown[] => Array.isArray(list) && list.length > 0,
  );
  return (servers ?? [{ url: "/" }]).filter(isObject).flatMap((server) => {
    const url = typeof server.url === "string" ? withDefaults(server.url, server.variables) : undefined;
    return url === undefined ? [] : [storable(url) ?? url];
  });
}

function withDefaults(url: string, variables: unknown): string {
  return url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = isObject(variables) && Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isObject(variable) && typeof variable.default === "string" ? variable.default : whole;
  });
}

/**
 * Makes relative server URLs absolute, in place: nobody knows later from where the document was fetched. A document without
 * servers gets the root of that origin.
 */
export function resolveServers(document: Record<string, unknown>, sourceUrl: string): void {
  if (!Array.isArray(document.servers) || document.servers.length === 0) document.servers = [{ url: "/" }];
  const holders: unknown[] = [document];
  for (const item of Object.values(isObject(document.paths) ? document.paths : {}))
    if (isObject(item)) holders.push(item, ...Object.values(item));
  for (const holder of holders) {
    if (!isObject(holder) || !Array.isArray(holder.servers)) continue;
    for (const server of holder.servers)
      if (isObject(server) && typeof server.url === "string") server.url = absolute(server.url, sourceUrl);
  }
}

function absolute(url: string, sourceUrl: string): string {
  // A URL that begins with a variable stays: the variable's default may be a scheme or a host.
  if (/^([a-z][a-z0-9+.-]*:|\{)/i.test(url) || !URL.canParse(url, sourceUrl)) return url;
  const { href } = new URL(url, sourceUrl);
  return href.replaceAll("%7B", "{").replaceAll("%7D", "}");
}

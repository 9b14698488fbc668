/** How a check's connections are made beside the runner's own settings: its certificates, and the proxy that they go through. */

/** An HTTP proxy. */
export interface HttpProxy {
  url: URL;
  /** Value of the header Proxy-Authorization; undefined: none is sent. */
  authorization: string | undefined;
}

/** The settings of a check's connections. */
export interface ConnectionSettings {
  /** Undefined: connections are direct. */
  proxy: HttpProxy | undefined;
  /** PEM certificates of authorities that https connections trust. */
  ownAuthorities: string | undefined;
  /** True: the public authorities are trusted, too. False: the check's own take their place. */
  trustsPublicToo: boolean;
  /** PEM certificate that https connections show, and its key. */
  clientCertificate: string | undefined;
  clientKey: string | undefined;
  /** Hosts that the client certificate is shown to, as in URLs: where a redirect leads decides the target, and not the check. */
  clientHosts: ReadonlySet<string>;
}

/** How the settings of a check type differ from those of most. */
interface SettingsOptions {
  /** See {@link ConnectionSettings.trustsPublicToo}. */
  trustsPublicToo: boolean;
}

/** The fields of a configuration that say how connections are made. */
export interface ConnectionFields {
  caCertificates?: string | undefined;
  clientCertificate?: string | undefined;
  clientKey?: string | undefined;
  proxyUrl?: string | undefined;
  proxyUsername?: string | undefined;
  proxyPassword?: string | undefined;
}

const settingsByConfig = new WeakMap<object, ConnectionSettings>();

/**
 * Returns the settings of a configuration; undefined when it has none, as most have. Those of one configuration are made once.
 * @param urls the URLs that the check itself requests
 */
export function connectionSettingsOf(
  config: ConnectionFields,
  urls: readonly string[],
  { trustsPublicToo }: SettingsOptions = { trustsPublicToo: false },
): ConnectionSettings | undefined {
  const { caCertificates, clientCertificate, clientKey, proxyUrl } = config;
  if (proxyUrl === undefined && caCertificates === undefined && clientCertificate === undefined)
    return undefined;
  let settings = settingsByConfig.get(config);
  if (!settings) {
    settings = {
      proxy: proxyOf(config),
      ownAuthorities: caCertificates,
      trustsPublicToo,
      clientCertificate,
      clientKey,
      clientHosts: new Set(urls.map((url) => new URL(url).hostname)),
    };
    settingsByConfig.set(config, settings);
  }
  return settings;
}

/** Returns the proxy that a configuration names; undefined when it names none. */
function proxyOf({ proxyUrl, proxyUsername, proxyPassword }: ConnectionFields): HttpProxy | undefined {
  if (proxyUrl === undefined) return undefined;
  const credentials = `${proxyUsername}:${proxyPassword}`;
  return {
    url: new URL(proxyUrl),
    authorization:
      proxyUsername === undefined ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
  };
}

/** Grafana Synthetic Monitoring's lists, for tests. */

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

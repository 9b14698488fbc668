/** blackbox_exporter's modules and jobs, for tests. */

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

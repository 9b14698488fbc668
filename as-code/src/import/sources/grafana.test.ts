/** Grafana's checks: which part becomes which field. */
import { describe, expect, it } from "vitest";
import { GRAFANA } from "../../../test-support/exports/grafana.ts";
import { imported } from "../../../test-support/imported.ts";

describe("grafana", () => {
  const { monitors, notes } = imported("grafana", GRAFANA);

  it("an HTTP check has its request, its assertions, and the locations of its probes", () => {
    expect(monitors.shop).toMatchObject({
      url: "https://shop.example.com/",
      method: "POST",
      body: "x=1",
      auth: { type: "bearer", token: "{{secrets.SHOP_TOKEN}}" },
      followRedirects: false,
      timeoutMs: 3000,
      labels: ["team:shop-front"],
      assertions: [
        { type: "status_code", operator: "greater_than", value: 199 },
        { type: "status_code", operator: "less_than", value: 405 },
        { type: "body_matches", pattern: "ok" },
      ],
    });
    expect(notes).toContain("checks[0]: no location of svc is certainly that of Atlanta");
    expect(notes.find((note) => note.startsWith("checks[2]"))).toContain("k6");
  });

  it("the lists may be two files, or the checks alone", () => {
    const { checks, probes } = GRAFANA;
    expect(imported("grafana", [checks, probes]).monitors).toEqual(monitors);
    expect(imported("grafana", [checks]).notes).toContain(
      "[0]: no location of svc is certainly that of the probe 1, the probe 2 and the probe 3",
    );
  });
});

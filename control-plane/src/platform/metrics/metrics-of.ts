/** Declares metrics on a registry so that declaring one twice gives the first one again. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Declares metrics on one registry; `help` is the sentence that /metrics shows. */
export interface MetricDeclarations {
  counter<Label extends string = never>(
    name: string,
    help: string,
    options?: { labelNames: Label[] },
  ): Counter<Label>;
  /** @param options.collect sets the gauge anew whenever the metrics are read */
  gauge<Label extends string = never>(
    name: string,
    help: string,
    options?: { collect: (gauge: Gauge<Label>) => void | Promise<void>; labelNames?: Label[] },
  ): Gauge<Label>;
  /** @param options.buckets upper bounds, in the unit that the name ends with */
  histogram<Label extends string = never>(
    name: string,
    help: string,
    options: { buckets: number[]; labelNames?: Label[] },
  ): Histogram<Label>;
}

/**
 * Returns the declarations of a registry. Parts that are started twice in a process, as in tests, share their metrics: a
 * name that the registry knows gives the metric that it has.
 */
export function metricsOf(registry: Registry): MetricDeclarations {
  const registers = [registry];
  const declare = <Metric>(name: string, create: () => Metric): Metric =>
    (registry.getSingleMetric(name) as Metric | undefined) ?? create();
  return {
    counter: (name, help, options) => declare(name, () => new Counter({ name, help, registers, ...options })),
    gauge: <Label extends string>(
      name: string,
      help: string,
      options?: { collect: (gauge: Gauge<Label>) => void | Promise<void>; labelNames?: Label[] },
    ) =>
      declare(name, () => {
        const gauge: Gauge<Label> = new Gauge({
          name,
          help,
          registers,
          ...(options && { labelNames: options.labelNames ?? [], collect: () => options.collect(gauge) }),
        });
        return gauge;
      }),
    histogram: (name, help, options) =>
      declare(name, () => new Histogram({ name, help, registers, ...options })),
  };
}

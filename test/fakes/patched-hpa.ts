import type { HpaRecord } from '../../src/core/model/cluster-records.ts';
import type { JsonPatchOperation } from '../../src/core/model/encoding/json-patch.ts';

/** The autoscaler after a JSON patch, as the API server would apply it. */
export function patchedHpa(hpa: HpaRecord, patch: readonly JsonPatchOperation[]): HpaRecord {
  let { resourceMetrics, annotations, minReplicas } = hpa;
  for (const { op, path, value } of patch) {
    const metric = /^\/spec\/metrics\/(\d+)\/(?:resource|containerResource)\/target\/averageUtilization$/.exec(path);
    if (metric !== null) {
      const index = Number(metric[1]);
      const live = Math.round((resourceMetrics[index]?.targetUtilizationRatio ?? 0) * 100);
      if (op === 'test' && live !== value) throw new Error(`${path} is ${live}, not ${String(value)}`);
      if (op === 'replace')
        resourceMetrics = resourceMetrics.map((resourceMetric) =>
          resourceMetric.index === index ? { ...resourceMetric, targetUtilizationRatio: Number(value) / 100 } : resourceMetric,
        );
    } else if (path === '/spec/minReplicas') minReplicas = Number(value);
    else if (path === '/metadata/annotations') annotations = { ...(value as Record<string, string>) };
    else {
      const key = path.slice('/metadata/annotations/'.length).replaceAll('~1', '/');
      const others = Object.fromEntries(Object.entries(annotations).filter(([name]) => name !== key));
      annotations = op === 'remove' ? others : { ...others, [key]: String(value) };
    }
  }
  return {
    ...hpa,
    minReplicas,
    resourceMetrics,
    annotations,
    hasAnnotations: Object.keys(annotations).length > 0,
    metricsWriter: 'evenkeel-controller',
  };
}

import type { KubeObject } from '../kube-object.ts';

/**
 * How a served version shows what is stored in another one. Both directions answer an object of their own at the top
 * level; deeper parts may be shared with the argument.
 */
export interface ObjectView {
  toServed(stored: KubeObject): KubeObject;
  toStored(served: KubeObject): KubeObject;
}

/** The served version is the stored one. */
export const SAME_VIEW: ObjectView = { toServed: (object) => object, toStored: (object) => object };

/** CustomResourceDefinitions with conversion `None`: the versions differ in apiVersion alone. */
export function relabelledView(servedApiVersion: string, storedApiVersion: string): ObjectView {
  // Objects stay in the version in which they were last written, so even the stored version may have to relabel some.
  const relabelled = (object: KubeObject, apiVersion: string): KubeObject =>
    object.apiVersion === apiVersion ? object : { ...object, apiVersion };
  return {
    toServed: (object) => relabelled(object, servedApiVersion),
    toStored: (object) => relabelled(object, storedApiVersion),
  };
}

/** Fields that core/v1 and events.k8s.io/v1 Events name differently, core first. */
const EVENT_FIELDS: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

/** events.k8s.io/v1 over the Events that are stored as core/v1. */
export const EVENTS_VIEW: ObjectView = {
  toServed: (object) => renamed(object, 'events.k8s.io/v1', EVENT_FIELDS),
  toStored: (object) =>
    renamed(
      object,
      'v1',
      EVENT_FIELDS.map(([core, events]) => [events, core]),
    ),
};

function renamed(object: KubeObject, apiVersion: string, names: readonly (readonly [string, string])[]): KubeObject {
  const byOldName = new Map(names);
  const copy = Object.fromEntries(Object.entries(object).map(([name, value]) => [byOldName.get(name) ?? name, value]));
  return { ...copy, apiVersion, kind: object.kind, metadata: object.metadata };
}

const OTHER_METRICS = 'autoscaling.alpha.kubernetes.io/metrics';

interface HpaMetric {
  readonly type?: string;
  readonly resource?: { readonly name?: string; readonly target?: { readonly averageUtilization?: number } };
}

/**
 * autoscaling/v1 over HorizontalPodAutoscalers that are stored as v2: the CPU utilization target is a field of v1, every
 * other metric travels in an annotation, so that a round trip loses nothing. Scaling behaviour and conditions are not shown.
 */
export const HPA_V1_VIEW: ObjectView = {
  toServed(object) {
    const { metrics, behavior, ...spec } = fields(object['spec']);
    const { currentMetrics: _metrics, conditions: _conditions, ...status } = fields(object['status']);
    const all = Array.isArray(metrics) ? (metrics as readonly HpaMetric[]) : [];
    const cpu = all.find(isCpuUtilization)?.resource?.target?.averageUtilization;
    const rest = { metrics: all.filter((metric) => !isCpuUtilization(metric)), behavior };
    const hasRest = rest.metrics.length > 0 || behavior !== undefined;
    return {
      ...object,
      apiVersion: 'autoscaling/v1',
      metadata: hasRest
        ? { ...object.metadata, annotations: { ...object.metadata.annotations, [OTHER_METRICS]: JSON.stringify(rest) } }
        : object.metadata,
      spec: { ...spec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) },
      // Go writes both counts of v1, of which v2 leaves `currentReplicas` out at zero.
      status: { currentReplicas: 0, desiredReplicas: 0, ...status },
    };
  },
  toStored(object) {
    const { targetCPUUtilizationPercentage: cpu, ...spec } = fields(object['spec']);
    const { [OTHER_METRICS]: carried, ...annotations } = object.metadata.annotations ?? {};
    const rest = carriedFields(carried);
    const others = Array.isArray(rest['metrics']) ? (rest['metrics'] as readonly unknown[]) : [];
    const target = { type: 'Utilization', averageUtilization: cpu };
    const metrics = cpu === undefined ? others : [{ type: 'Resource', resource: { name: 'cpu', target } }, ...others];
    const metadata = { ...object.metadata };
    if (carried !== undefined) metadata.annotations = annotations;
    return {
      ...object,
      apiVersion: 'autoscaling/v2',
      metadata,
      spec: {
        ...spec,
        ...(metrics.length > 0 ? { metrics } : {}),
        ...(rest['behavior'] === undefined ? {} : { behavior: rest['behavior'] }),
      },
    };
  },
};

function isCpuUtilization(metric: HpaMetric): boolean {
  return metric.type === 'Resource' && metric.resource?.name === 'cpu' && metric.resource.target?.averageUtilization !== undefined;
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** An unreadable annotation is ignored: it is no reason to refuse the object. */
function carriedFields(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  try {
    return fields(JSON.parse(text));
  } catch {
    return {};
  }
}

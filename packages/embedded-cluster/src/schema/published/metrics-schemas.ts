import { COMPONENTS, type PublishedSchema } from './published-schema.ts';

const PACKAGE = 'io.k8s.metrics.pkg.apis.metrics.v1beta1';
const USAGE: PublishedSchema = {
  type: 'object',
  description: 'The memory usage is the memory working set.',
  additionalProperties: { $ref: `${COMPONENTS}io.k8s.apimachinery.pkg.api.resource.Quantity` },
};
const WINDOW: Readonly<Record<string, PublishedSchema>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { allOf: [{ $ref: `${COMPONENTS}io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta` }], default: {} },
  timestamp: {
    allOf: [{ $ref: `${COMPONENTS}io.k8s.apimachinery.pkg.apis.meta.v1.Time` }],
    description:
      'The following fields define time interval from which metrics were collected from the interval [Timestamp-Window, Timestamp].',
  },
  window: { type: 'string' },
};

/** Schemas of the resource metrics API. Metrics Server serves it beside Kubernetes, whose documents lack it; the words are those of k8s.io/metrics. */
export const METRICS_SCHEMAS: Readonly<Record<string, PublishedSchema>> = {
  [`${PACKAGE}.NodeMetrics`]: {
    type: 'object',
    description: 'NodeMetrics sets resource usage metrics of a node.',
    properties: { ...WINDOW, usage: USAGE },
    'x-kubernetes-group-version-kind': [{ group: 'metrics.k8s.io', version: 'v1beta1', kind: 'NodeMetrics' }],
  },
  [`${PACKAGE}.PodMetrics`]: {
    type: 'object',
    description: 'PodMetrics sets resource usage metrics of a pod.',
    properties: {
      ...WINDOW,
      containers: {
        type: 'array',
        description: 'Metrics for all containers are collected within the same time window.',
        items: { $ref: `${COMPONENTS}${PACKAGE}.ContainerMetrics` },
        'x-kubernetes-list-type': 'atomic',
      },
    },
    'x-kubernetes-group-version-kind': [{ group: 'metrics.k8s.io', version: 'v1beta1', kind: 'PodMetrics' }],
  },
  [`${PACKAGE}.ContainerMetrics`]: {
    type: 'object',
    description: 'ContainerMetrics sets resource usage metrics of a container.',
    properties: {
      name: { type: 'string', description: 'Container name corresponding to the one from pod.spec.containers.' },
      usage: USAGE,
    },
  },
};

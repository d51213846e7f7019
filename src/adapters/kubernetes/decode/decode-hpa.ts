import type { HpaRecord } from '../../../core/model/cluster-records.ts';
import { groupOfVersion } from '#kube/records/workload';
import { MINUTE_MS, SECOND_MS, type DurationMs } from '#kube/units';
import { annotationsOf, metadataOf } from './decode-metadata.ts';
import type { Interner } from './interner.ts';
import { latestWriterOf } from './managed-fields.ts';
import { numberAt, objectAt, objectsAt, optionalInstantAt, optionalNumberAt, requiredTextAt, textAt, type Wire } from '../wire.ts';

type ResourceMetric = HpaRecord['resourceMetrics'][number];

/** Default of kube-controller-manager for an HPA without the field; its flags may change it. */
const DEFAULT_SCALE_DOWN_WINDOW_MS: DurationMs = 5 * MINUTE_MS;

/** Decodes a HorizontalPodAutoscaler of autoscaling/v2. @throws WireError */
export function readHpa(wire: Wire, interner: Interner): HpaRecord {
  const metadata = metadataOf(wire, interner);
  const spec = objectAt(wire, 'spec');
  const status = objectAt(wire, 'status');
  const target = objectAt(spec, 'scaleTargetRef', 'spec.scaleTargetRef');
  const resourceMetrics: ResourceMetric[] = [];
  const metrics = objectsAt(spec, 'metrics', 'spec.metrics');
  for (const [index, metric] of metrics.entries()) {
    const read = readResourceMetric(metric, index);
    if (read !== null) resourceMetrics.push(read);
  }
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    createdAt: metadata.createdAt,
    annotations: annotationsOf(wire, interner),
    hasAnnotations: Object.keys(objectAt(objectAt(wire, 'metadata'), 'annotations')).length > 0,
    controller: metadata.controller,
    metricsWriter: latestWriterOf(wire, ['f:spec', 'f:metrics']),
    target: {
      namespace: metadata.namespace,
      // Without an apiVersion the HPA controller uses the core group, where only ReplicationController is scalable.
      group: interner.text(groupOfVersion(textAt(target, 'apiVersion'))),
      kind: interner.text(requiredTextAt(target, 'kind', 'spec.scaleTargetRef.kind')),
      name: interner.text(requiredTextAt(target, 'name', 'spec.scaleTargetRef.name')),
    },
    minReplicas: numberAt(spec, 'minReplicas', 1, 'spec.minReplicas'),
    maxReplicas: numberAt(spec, 'maxReplicas', 1, 'spec.maxReplicas'),
    currentReplicas: numberAt(status, 'currentReplicas', 0, 'status.currentReplicas'),
    desiredReplicas: numberAt(status, 'desiredReplicas', 0, 'status.desiredReplicas'),
    lastScaleAt: optionalInstantAt(status, 'lastScaleTime', 'status.lastScaleTime'),
    scaleDownWindowMs: scaleDownWindowOf(spec),
    resourceMetrics,
  };
}

function scaleDownWindowOf(spec: Wire): DurationMs {
  const seconds = optionalNumberAt(objectAt(objectAt(spec, 'behavior'), 'scaleDown'), 'stabilizationWindowSeconds');
  return seconds === null ? DEFAULT_SCALE_DOWN_WINDOW_MS : seconds * SECOND_MS;
}

function readResourceMetric(metric: Wire, index: number): ResourceMetric | null {
  const type = textAt(metric, 'type');
  const source =
    type === 'Resource' ? objectAt(metric, 'resource') : type === 'ContainerResource' ? objectAt(metric, 'containerResource') : null;
  if (source === null) return null;
  const resource = textAt(source, 'name');
  if (resource !== 'cpu' && resource !== 'memory') return null;
  const target = objectAt(source, 'target');
  const percent = optionalNumberAt(target, 'averageUtilization', 'spec.metrics[].target.averageUtilization');
  return {
    index,
    resource,
    container: type === 'ContainerResource' ? textAt(source, 'container') : null,
    targetUtilizationRatio: percent === null ? null : percent / 100,
  };
}

// Decodes objects of other tools that size or scale pods. They exist only where those tools are installed.

import type { ScaledObjectRecord, VpaRecord } from '../../../core/model/cluster-records.ts';
import { groupOfVersion, KUBERNETES_OWNERS } from '#kube/records/workload';
import { metadataOf } from './decode-metadata.ts';
import type { Interner } from './interner.ts';
import { objectAt, objectsAt, requiredTextAt, textAt, type Wire } from '../wire.ts';

/** Decodes a VerticalPodAutoscaler of autoscaling.k8s.io/v1. @throws WireError */
export function readVpa(wire: Wire, interner: Interner): VpaRecord {
  const { namespace, name } = metadataOf(wire, interner);
  const spec = objectAt(wire, 'spec');
  const target = objectAt(spec, 'targetRef', 'spec.targetRef');
  const kind = requiredTextAt(target, 'kind', 'spec.targetRef.kind');
  return {
    namespace,
    name,
    target: {
      namespace,
      // VPA resolves a built-in kind regardless of the reference's apiVersion.
      // https://github.com/kubernetes/autoscaler/blob/master/vertical-pod-autoscaler/pkg/target/fetcher.go
      group: interner.text(KUBERNETES_OWNERS.get(kind) ?? groupOfVersion(textAt(target, 'apiVersion'))),
      kind: interner.text(kind),
      name: interner.text(requiredTextAt(target, 'name', 'spec.targetRef.name')),
    },
    // Without an updatePolicy the mode is Auto.
    updateMode: textAt(objectAt(spec, 'updatePolicy', 'spec.updatePolicy'), 'updateMode') || 'Auto',
  };
}

/** Decodes a ScaledObject of keda.sh/v1alpha1. @throws WireError */
export function readScaledObject(wire: Wire, interner: Interner): ScaledObjectRecord {
  const { namespace, name } = metadataOf(wire, interner);
  const spec = objectAt(wire, 'spec');
  const target = objectAt(spec, 'scaleTargetRef', 'spec.scaleTargetRef');
  const triggers = objectsAt(spec, 'triggers', 'spec.triggers');
  const hpa = textAt(objectAt(wire, 'status'), 'hpaName');
  return {
    namespace,
    name,
    target: {
      namespace,
      // https://keda.sh/docs/latest/reference/scaledobject-spec/
      group: interner.text(groupOfVersion(textAt(target, 'apiVersion') || 'apps/v1')),
      kind: interner.text(textAt(target, 'kind') || 'Deployment'),
      name: interner.text(requiredTextAt(target, 'name', 'spec.scaleTargetRef.name')),
    },
    hpa: hpa === '' ? null : hpa,
    utilizationOf: (['cpu', 'memory'] as const).filter((resource) =>
      triggers.some((trigger) => trigger['type'] === resource && isUtilization(trigger)),
    ),
  };
}

// The metric type is a field of the trigger, or of its metadata in older versions.
function isUtilization(trigger: Wire): boolean {
  const type = textAt(trigger, 'metricType') || textAt(objectAt(trigger, 'metadata'), 'type');
  return type === '' || type === 'Utilization';
}

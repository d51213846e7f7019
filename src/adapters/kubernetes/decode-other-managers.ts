// Objects of other tools that size or scale the same pods, as far as they say whose and how. They come where those tools
// are installed.

import type { ScaledObjectRecord, VpaRecord } from '../../core/model/cluster-records.ts';
import { metadataOf } from './decode-metadata.ts';
import type { Interner } from './interner.ts';
import { objectAt, objectsAt, requiredTextAt, textAt, type Wire } from './wire.ts';

/** VerticalPodAutoscaler of autoscaling.k8s.io/v1. @throws WireError */
export function readVpa(wire: Wire, interner: Interner): VpaRecord {
  const { namespace, name } = metadataOf(wire, interner);
  const spec = objectAt(wire, 'spec');
  const target = objectAt(spec, 'targetRef', 'spec.targetRef');
  return {
    namespace,
    name,
    target: {
      namespace,
      kind: interner.text(requiredTextAt(target, 'kind', 'spec.targetRef.kind')),
      name: interner.text(requiredTextAt(target, 'name', 'spec.targetRef.name')),
    },
    // Without a policy it acts.
    updateMode: textAt(objectAt(spec, 'updatePolicy', 'spec.updatePolicy'), 'updateMode') || 'Auto',
  };
}

/** ScaledObject of keda.sh/v1alpha1. @throws WireError */
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
      kind: interner.text(textAt(target, 'kind') || 'Deployment'),
      name: interner.text(requiredTextAt(target, 'name', 'spec.scaleTargetRef.name')),
    },
    hpa: hpa === '' ? null : hpa,
    utilizationOf: (['cpu', 'memory'] as const).filter((resource) =>
      triggers.some((trigger) => trigger['type'] === resource && isUtilization(trigger)),
    ),
  };
}

// The metric type is beside the trigger, or in its metadata in older versions.
function isUtilization(trigger: Wire): boolean {
  const type = textAt(trigger, 'metricType') || textAt(objectAt(trigger, 'metadata'), 'type');
  return type === '' || type === 'Utilization';
}

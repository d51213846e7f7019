import { formatDuration } from '../../core/model/duration.ts';
import { defaultsFrom, schemaFieldDefaults, type FieldDefaults } from '../../core/policies/effective-values.ts';
import { podResizeDefaults } from '../../core/resize/policy/pod-resize-defaults.ts';
import type { PolicyDefaults } from '../../queries/sources.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';

/** The defaults of policies' fields, and whether each comes from a setting or a constant. */
export function policyDefaults(settings: Settings): PolicyDefaults {
  const byKind: Readonly<Record<string, FieldDefaults>> = {
    PodResizePolicy: defaultsFrom('default', podResizeDefaults()),
    NodeScalingPolicy: nodeScalingDefaults(settings),
  };
  return { defaultsOf: (kind) => ({ ...schemaFieldDefaults(kind), ...byKind[kind] }) };
}

function nodeScalingDefaults(settings: Settings): FieldDefaults {
  return defaultsFrom('setting', {
    minNodes: settings['autoscaler.minNodes'],
    maxNodes: settings['autoscaler.maxNodes'],
    scaleUpThreshold: settings['autoscaler.scaleUpThreshold'],
    scaleDownThreshold: settings['autoscaler.scaleDownThreshold'],
    scaleUpCooldown: formatDuration(settings['autoscaler.scaleUpCooldown']),
    scaleDownCooldown: formatDuration(settings['autoscaler.scaleDownCooldown']),
    scanInterval: formatDuration(settings['autoscaler.scanInterval']),
    preferSpot: settings['autoscaler.preferSpot'],
  });
}

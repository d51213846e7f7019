import { expect, test } from '@jest/globals';
import { NO_SCHEDULING_FACTS, readSchedulingFacts } from './scheduling-facts.ts';
import { readSchedulingRules } from './scheduling-rules.ts';

const POD = { name: 'web-0', labels: {} };

test('scheduling facts are a pod’s rules and its requests besides CPU and memory', () => {
  const spec = {
    nodeSelector: { disk: 'ssd' },
    containers: [{ name: 'app', resources: { requests: { cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '2' } } }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
        },
      },
    },
  };
  const { rules, pinnedNode } = readSchedulingRules(spec, POD);
  expect(readSchedulingFacts(spec, POD)).toEqual({ facts: { ...rules, otherRequests: { 'nvidia.com/gpu': 2 } }, pinnedNode });
  expect(pinnedNode).toBe('n1');
});

test('a pod without rules has none', () => {
  expect(readSchedulingFacts({ containers: [{ name: 'app', resources: { requests: { cpu: '1' } } }] }, POD)).toEqual({
    facts: NO_SCHEDULING_FACTS,
    pinnedNode: null,
  });
});

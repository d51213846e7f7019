import { array, integer, map, nullable, number, object, ratio, ref, string, time, type Schema } from '../schema.ts';

const cpu = integer('CPU in millicores.');
const memory = integer('Memory in bytes.');

/** Records that several sections share. */
export const COMMON_SCHEMAS: Readonly<Record<string, Schema>> = {
  Resources: object({ cpuMillicores: cpu, memoryBytes: memory }, 'CPU and memory.'),
  OptionalResources: object(
    { cpuMillicores: nullable(cpu), memoryBytes: nullable(memory) },
    'CPU and memory; null where unset or unknown, never 0.',
  ),
  Ratios: object(
    {
      cpuRatio: nullable(ratio('Of CPU; above 1 where usage or requests exceed the capacity.')),
      memoryRatio: nullable(ratio('Of memory.')),
    },
    'Fractions of CPU and of memory.',
  ),
  WorkloadRef: object({ namespace: string(), kind: string('Kind of the top-level owner.'), name: string() }, 'Identity of a workload.'),
  RequestsAndLimits: object({ requests: ref('OptionalResources'), limits: ref('OptionalResources') }),
  Warning: object({ code: string('Stable code in snake case.'), message: string() }, 'Data that is missing or outdated.'),
  ErrorDetail: object(
    { path: string('JSON Pointer into the body, or `query.x`, `path.x`, `header.x`.'), message: string() },
    'One invalid field.',
  ),
  Series: object(
    {
      name: string(),
      unit: string('millicores, bytes, count or ratio.'),
      labels: map(string()),
      points: array(
        {
          type: 'array',
          prefixItems: [integer('Unix time in seconds, the start of the step.'), nullable(number('null: unknown.'))],
          minItems: 2,
          maxItems: 2,
        },
        'Ascending in time.',
      ),
    },
    'One time series.',
  ),
  SeriesSet: object(
    { start: time(), end: time(), stepSeconds: integer(undefined, { minimum: 1 }), series: array(ref('Series')) },
    'Points of complete steps: each is the mean over the step that starts at its time. `end` is the time of the last point, so an answer changes once per step.',
  ),
};

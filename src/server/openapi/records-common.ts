import { array, integer, map, nullable, number, object, ratio, ref, string, time, type Schema } from './schema.ts';

const cpu = integer('CPU in thousandths of a core.');
const memory = integer('Memory in bytes.');

/** Records that several sections share. */
export const COMMON_SCHEMAS: Readonly<Record<string, Schema>> = {
  Resources: object({ cpuMillicores: cpu, memoryBytes: memory }, 'CPU and memory, both known.'),
  OptionalResources: object(
    { cpuMillicores: nullable(cpu), memoryBytes: nullable(memory) },
    'CPU and memory; null where not set or not known, never 0.',
  ),
  Ratios: object(
    {
      cpuRatio: nullable(ratio('Of CPU; above 1 where more is used or asked for than there is.')),
      memoryRatio: nullable(ratio('Of memory.')),
    },
    'Fractions of CPU and of memory.',
  ),
  WorkloadRef: object(
    { namespace: string(), kind: string('Kind of the top-level owner.'), name: string() },
    'What a person calls a workload.',
  ),
  RequestsAndLimits: object({ requests: ref('OptionalResources'), limits: ref('OptionalResources') }),
  Warning: object(
    { code: string('Stable word, lower snake case.'), message: string() },
    'A source that could not tell what it would have told.',
  ),
  ErrorDetail: object(
    { path: string('JSON Pointer into the body, or `query.x`, `path.x`, `header.x`.'), message: string() },
    'One failing field.',
  ),
  Series: object(
    {
      name: string(),
      unit: string('millicores, bytes, count or ratio.'),
      labels: map(string()),
      points: array(
        {
          type: 'array',
          prefixItems: [integer('Unix time in seconds, the start of the step.'), nullable(number('null: not known then.'))],
          minItems: 2,
          maxItems: 2,
        },
        'Ascending in time.',
      ),
    },
    'One line of a graph.',
  ),
  SeriesSet: object(
    { start: time(), end: time(), stepSeconds: integer(undefined, { minimum: 1 }), series: array(ref('Series')) },
    'Points of complete steps: each is the mean over the step that begins at its time. `end` is the time of the last point, so that an answer changes once a step.',
  ),
};

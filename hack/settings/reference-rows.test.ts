import { expect, test } from '@jest/globals';
import { referenceRows } from './reference-rows.ts';

test('a setting with objects has a row, and one below it for each field', () => {
  const rows = referenceRows({
    'meta.instances': {
      type: 'list',
      items: {
        type: 'object',
        fields: {
          name: { type: 'string', help: 'Name.' },
          weights: { type: 'list', items: { type: 'integer', minimum: 1 }, default: [1], help: 'Weights.' },
        },
      },
      default: [],
      status: 'announced',
      help: 'Instances.',
    },
  });
  expect(rows).toEqual([
    '| `meta.instances` | list of object | `[]` |  | Instances. *No effect in this version.* | `EVENKEEL_META_INSTANCES` | `--meta.instances` |',
    '| `meta.instances[].name` | string | required |  | Name. |  |  |',
    '| `meta.instances[].weights` | list of integer | `[1]` | ≥ 1 | Weights. |  |  |',
  ]);
});

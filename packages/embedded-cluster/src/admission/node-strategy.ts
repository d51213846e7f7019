import type { FieldError } from '../api/api-error.ts';
import type { ResourceStrategy } from '../api/strategy.ts';
import type { Node } from '../controllers/wire/node.ts';
import { duplicate } from './field-errors.ts';

export const nodeStrategy: ResourceStrategy = {
  validate(object): FieldError[] {
    const seen = new Set<string>();
    return ((object as Node).spec?.taints ?? []).flatMap(({ key, effect }, index) => {
      const isRepeated = seen.has(`${key}:${effect}`);
      seen.add(`${key}:${effect}`);
      return isRepeated ? [duplicate(`spec.taints[${String(index)}]`, { key, effect })] : [];
    });
  },
};

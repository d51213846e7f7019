import { expect, test } from '@jest/globals';
import { aSituation } from '../../../../test/builders/rightsizing.ts';
import { decideInPlace } from '../plan/decide-in-place.ts';
import { applyLayers, type ResizeLayer } from './layer.ts';

test('the first layer is the outermost: it sees the context first and the decision last', () => {
  const order: string[] = [];
  const layer = (name: string): ResizeLayer => ({
    name,
    apply(context, next) {
      order.push(`${name} sees ${context.now}`);
      const decision = next({ ...context, now: context.now + 1 });
      order.push(`${name} has ${decision.message}`);
      return { ...decision, message: `${name}(${decision.message})` };
    },
  });
  const decision = applyLayers(aSituation({ now: 1 }), [layer('a'), layer('b')], (context) => ({
    ...decideInPlace(aSituation()),
    message: `at ${context.now}`,
  }));
  expect(order).toEqual(['a sees 1', 'b sees 2', 'b has at 3', 'a has b(at 3)']);
  expect(decision.message).toBe('a(b(at 3))');
});

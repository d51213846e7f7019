import { describe, expect, test } from '@jest/globals';
import {
  amounts,
  anAdvice,
  aSituation,
  autoPolicy,
  aWorkloadRecord,
  NO_OVERRIDES,
  pods,
  T0,
} from '../../../../../test/builders/rightsizing.ts';
import { DAY_MS, HOUR_MS, type DurationMs } from '#kube/units';
import { decideWorkload } from '../../layers/decide-workload.ts';

const equal = amounts('1', '512Mi');
const container = { requests: equal, limits: equal };
const { container: DEFAULTS } = autoPolicy();
const cpuAlone = anAdvice({ cpu: '200m', memory: '512Mi', cpuAdvice: { peak: 360 } });
const advice = anAdvice({ cpu: '200m', memory: '256Mi', cpuAdvice: { peak: 360 } });

describe('CPU of a Guaranteed pod', () => {
  test('falls only so far that its limit would not have throttled the observed usage', () => {
    const decision = decideWorkload(
      aSituation({ pods: pods(1, { container }), workload: aWorkloadRecord({}, container), advice: [advice] }),
    );
    expect(decision.containers[0]?.target).toMatchObject({ requests: { cpuMillicores: 720 }, limits: { cpuMillicores: 720 } });
    const steps = decision.containers[0]?.target?.steps.filter(({ resource }) => resource === 'cpu') ?? [];
    expect(steps.at(-1)).toMatchObject({ step: 'limit', total: 720, detail: expect.stringContaining('Guaranteed') });
  });

  test.each([
    ['that was measured lately', T0 - HOUR_MS, 'applying', null],
    ['that has not been measured for hours', T0 - 3 * HOUR_MS, 'awaiting', 'unmeasured'],
    ['that is not measured', null, 'awaiting', 'unmeasured'],
  ])('is lowered only beside throttling %s', (_case, throttlingMeasuredAt, state, reason) => {
    const demand = [{ container: 'main', windows: [], throttlingMeasuredAt }];
    const decision = decideWorkload(
      aSituation({ pods: pods(1, { container }), workload: aWorkloadRecord({}, container), advice: [cpuAlone], demand }),
    );
    expect([decision.state, decision.reason]).toEqual([state, reason]);
  });

  test('falls only to twice the highest sample of a minute, however low the means of five minutes are', () => {
    const high = anAdvice({ cpu: '100m', memory: '512Mi', cpuAdvice: { peak: 90 }, cpuHigh: { millicores: 410, measuredMs: 14 * DAY_MS } });
    const decision = decideWorkload(aSituation({ pods: pods(1, { container }), workload: aWorkloadRecord({}, container), advice: [high] }));
    expect(decision.steps.map(({ containers }) => containers[0]?.to.limits.cpuMillicores)).toEqual([820]);
  });

  const measured = (measuredMs: DurationMs) => ({ millicores: 100, measuredMs });

  test.each([
    ['seven days', measured(7 * DAY_MS), 'applying', null],
    ['less than seven days', measured(6.9 * DAY_MS), 'awaiting', 'unmeasured'],
    ['no time at all, as of runs of Jobs', null, 'awaiting', 'unmeasured'],
  ])('is lowered only where it was sampled minute by minute for long enough: %s', (_case, cpuHigh, state, reason) => {
    const decision = decideWorkload(
      aSituation({ pods: pods(1, { container }), workload: aWorkloadRecord({}, container), advice: [{ ...cpuAlone, cpuHigh }] }),
    );
    expect([decision.state, decision.reason]).toEqual([state, reason]);
    if (reason !== null) expect(decision.message).toMatch(/CPU of main was sampled minute by minute for .* of 7 days/);
  });

  test('is not lowered by approval before that, while a Burstable pod waits for no such reading', () => {
    const blind = { ...cpuAlone, cpuHigh: null };
    const values = new Map([['main', { requests: amounts('720m', '512Mi'), limits: amounts('720m', '512Mi') }]]);
    const given = { pods: pods(1, { container }), workload: aWorkloadRecord({}, container), advice: [blind] };
    const { userRequests } = aSituation();
    const approved = decideWorkload(
      aSituation({
        ...given,
        policy: autoPolicy({ mode: 'Approve' }),
        userRequests: { ...userRequests, approved: { at: T0, by: 'ann', values } },
      }),
    );
    expect([approved.state, approved.reason, approved.steps]).toEqual(['awaiting', 'unmeasured', []]);
    const sizes = { requests: equal, limits: amounts('2', '1Gi') };
    const burstable = decideWorkload(aSituation({ ...given, pods: pods(1, { container: sizes }), workload: aWorkloadRecord({}, sizes) }));
    expect(burstable.state).toBe('applying');
  });

  test.each([
    ['less than the tolerance', 470, []],
    ['as much as the tolerance', 450, [900]],
  ])('that would fall by %s', (_case, peak, lowered) => {
    const { steps } = decideWorkload(
      aSituation({
        pods: pods(1, { container }),
        workload: aWorkloadRecord({}, container),
        advice: [anAdvice({ cpu: '200m', memory: '512Mi', cpuAdvice: { peak } })],
      }),
    );
    expect(steps.map(({ containers }) => containers[0]?.to.limits.cpuMillicores)).toEqual(lowered);
  });

  test('rises to keep headroom above the observed usage, up to the deployed limit', () => {
    const small = amounts('400m', '512Mi');
    const tight = { requests: small, limits: small };
    const at = (deployed: typeof container) =>
      decideWorkload(aSituation({ pods: pods(1, { container: tight }), workload: aWorkloadRecord({}, deployed), advice: [advice] }));
    expect(at(container).steps[0]?.containers[0]?.to.limits.cpuMillicores).toBe(450);
    expect(at(tight).containers[0]?.target?.limits.cpuMillicores).toBe(400);
  });

  test.each([
    ['ceiling', { overrides: { ...NO_OVERRIDES, ceiling: new Map([['*', amounts('400m', null)]]) } }],
    ["policy's max", { policy: autoPolicy({ container: { ...DEFAULTS, cpu: { ...DEFAULTS.cpu, max: 400 } } }) }],
  ])('never exceeds the %s, including headroom', (_bound, given) => {
    const decision = decideWorkload(
      aSituation({ pods: pods(1, { container }), workload: aWorkloadRecord({}, container), advice: [advice], ...given }),
    );
    expect(decision.containers[0]?.target).toMatchObject({ requests: { cpuMillicores: 400 }, limits: { cpuMillicores: 400 } });
  });

  test.each([
    ['of a Burstable pod', { requests: equal, limits: amounts('2', '1Gi') }, autoPolicy()],
    ['whose policy leaves limits alone', container, autoPolicy({ container: { ...DEFAULTS, controlled: 'requests' as const } })],
  ])('%s is what the advice says', (_case, sizes, policy) => {
    const decision = decideWorkload(
      aSituation({ pods: pods(1, { container: sizes }), workload: aWorkloadRecord({}, sizes), advice: [advice], policy }),
    );
    expect(decision.containers[0]?.target?.steps.some(({ detail }) => detail.includes('would throttle'))).toBe(false);
  });
});

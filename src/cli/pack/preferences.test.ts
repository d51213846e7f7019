import { describe, expect, test } from '@jest/globals';
import { aWorkload, preferencesOf, REQUESTS } from '../../../test/builders/pack-files.ts';

const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const ZONE = 'topology.kubernetes.io/zone';
/** Zone b is 5 % dearer, zone c 50 %. */
const POOLS = ['machine_type,vcpu,memory_gib,usd_per_hour,zone', 'small,2,4,0.100,a', 'small,2,4,0.105,b', 'small,2,4,0.150,c', ''].join(
  '\n',
);

function inZone(zone: string): string {
  return `affinity: { nodeAffinity: { ${PREFERRED}: [{ weight: 1, preference: { matchExpressions: [{ key: ${ZONE}, operator: In, values: [${zone}] }] } }] } }`;
}
function apart(key: string): string {
  return `affinity: { podAntiAffinity: { ${PREFERRED}: [{ weight: 1, podAffinityTerm: { topologyKey: ${key}, labelSelector: { matchLabels: { app: web } } } }] } }`;
}
function softSpread(key: string): string {
  return `topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: ScheduleAnyway, topologyKey: ${key}, labelSelector: { matchLabels: { app: web } } }]`;
}
const web = (replicas: number, rule: string): string => aWorkload('web', replicas, `{ ${REQUESTS}, ${rule} }`);

describe('preferences of pods', () => {
  test.each<readonly [string, string, number, number]>([
    ['a node that is 5 % dearer', inZone('b'), 4, 0.105],
    ['a spread over zones that is 18 % dearer on average: not kept', softSpread(ZONE), 4, 0.1],
    ['a node that is 50 % dearer: not kept', inZone('c'), 4, 0.1],
  ])('may cost 10 %% of their pods: %s', async (_, rule, replicas, usdPerHour) => {
    const { chosen } = await preferencesOf([web(replicas, rule)], POOLS, { preferenceCost: 0.1 });
    expect(chosen.best.usdPerHour).toBeCloseTo(usdPerHour, 9);
  });

  test('are counted, with what they cost', async () => {
    const { chosen } = await preferencesOf([web(4, inZone('b'))], POOLS, { preferenceCost: 0.1 });
    expect(chosen.preferences).toMatchObject({ kept: 4, total: 4, keptWithout: 0, isObeyed: true });
    expect(chosen.preferences!.usdPerHour).toBeCloseTo(0.005, 9);
    expect(chosen.preferences!.maxUsdPerHour).toBeCloseTo(0.01, 9);
  });

  test('change nothing where they may cost nothing, and are counted', async () => {
    const { chosen } = await preferencesOf([web(4, inZone('b'))], POOLS, { preferenceCost: 0 });
    expect(chosen.best.usdPerHour).toBeCloseTo(0.1, 9);
    expect(chosen.preferences).toMatchObject({ kept: 0, total: 4, isObeyed: false });
  });

  test('are not kept where the packing as a whole costs too much more', async () => {
    // Four pods fit on one node: apart, they need four.
    const { chosen } = await preferencesOf([web(4, apart('kubernetes.io/hostname'))], POOLS, { preferenceCost: 0.1 });
    expect(chosen.preferences).toMatchObject({ kept: 0, total: 4, isObeyed: false });
    expect(chosen.preferences!.usdPerHour).toBeCloseTo(0.3, 9);
    expect(chosen.best.usdPerHour).toBeCloseTo(0.1, 9);
  });

  test('for hosts are kept where other pods fill the nodes', async () => {
    const pods = [web(2, apart('kubernetes.io/hostname')), aWorkload('other', 6, `{ ${REQUESTS} }`)];
    const { chosen } = await preferencesOf(pods, POOLS, { preferenceCost: 0.1 });
    expect(chosen.preferences).toMatchObject({ kept: 2, total: 2, isObeyed: true, usdPerHour: 0 });
  });

  test('between hosts are given up before those of nodes and zones', async () => {
    const rule = `${inZone('b')}, ${softSpread('kubernetes.io/hostname')}`;
    const { chosen } = await preferencesOf([web(4, rule)], POOLS, { preferenceCost: 0.1 });
    expect(chosen.preferences).toMatchObject({ kept: 4, total: 8, isObeyed: true });
    expect(chosen.best.usdPerHour).toBeCloseTo(0.105, 9);
  });

  test('for nodes leave the zones alone that count for a required spread', async () => {
    const spread = softSpread(ZONE).replace('ScheduleAnyway', 'DoNotSchedule');
    const { chosen } = await preferencesOf([web(4, `${spread}, ${inZone('b')}`)], POOLS, { preferenceCost: 0.9 });
    expect(chosen.preferences).toMatchObject({ isObeyed: false, total: 4 });
  });

  test('for a spread count the zones that have no node', async () => {
    const { chosen } = await preferencesOf([web(4, softSpread(ZONE))], POOLS, { preferenceCost: 0 });
    expect(chosen.preferences).toMatchObject({ kept: 0, total: 4 });
  });

  test('that nothing can keep are given up alone', async () => {
    const contradiction = aWorkload('odd', 1, `{ ${REQUESTS}, ${inZone('b')}, nodeSelector: { ${ZONE}: a } }`);
    const { chosen } = await preferencesOf([web(4, inZone('b')), contradiction], POOLS, { preferenceCost: 0.1 });
    expect(chosen.preferences).toMatchObject({ kept: 4, total: 5, isObeyed: true });
  });

  test('of no pod are nothing', async () => {
    expect((await preferencesOf([web(4, 'tolerations: []')], POOLS, { preferenceCost: 0.1 })).chosen.preferences).toBeNull();
  });
});

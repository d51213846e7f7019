// Questions of an administrator's week, with the first call that a model chose which saw the list of tools alone; null: it said that no tool
// has the answer. The descriptions are those that led to the right choice. This test keeps each call possible, and the wording.

import { expect, test } from '@jest/globals';
import { DASHBOARD_API } from '../openapi/document.ts';
import { schemaCompiler, valueValidator } from '../openapi/validator.ts';
import { inputSchemaOf } from './tool.ts';
import { TOOLS } from './tools/index.ts';

type Choice = readonly [question: string, tool: string | null, given: object, words: RegExp | null];

const CHECKOUT = { namespace: 'shop', name: 'checkout' };
const CHOICES: readonly Choice[] = [
  ['How much could we save in all?', 'get_cluster_summary', {}, /open recommendations would free/],
  ['What have the resizes saved so far?', 'get_maintenance_status', {}, /what resizes have reclaimed so far/],
  ['What did removed nodes save?', 'get_cluster_summary', {}, /what removed nodes have saved/],
  ['Which workloads waste the most?', 'list_workloads', {}, /highest savings first/],
  ['What do the requests of namespace shop cost?', 'list_workloads', { namespace: 'shop' }, /the cost of requests, of all that match/],
  ['Why was shop/checkout not resized?', 'get_workload', CHECKOUT, /why it was not resized/],
  ['Why does the Deployment checkout in shop get 490m?', 'get_workload', { ...CHECKOUT, kind: 'Deployment' }, /every step from usage/],
  ['Who changed shop/checkout last night?', 'get_workload', CHECKOUT, /what was applied lately and by whom/],
  ['Which containers were OOM-killed?', 'list_workloads', {}, /OOM-killed/],
  ['Which containers need more than their limit?', 'list_exceptions', { type: 'limit' }, /need more than their limit/],
  ['Is there a memory leak in shop/cart?', 'get_workload_usage', { namespace: 'shop', name: 'cart', duration: '7d' }, /a leak/],
  ['Compare this week of checkout with the last one.', 'get_workload_usage', { ...CHECKOUT, duration: '14d' }, /compare the halves/],
  ['What was the highest memory of checkout?', 'get_workload', CHECKOUT, /percentiles and maximum/],
  ['What waits for my approval?', 'list_workloads', { status: 'awaiting' }, /approval means that a user must approve/],
  ['How many changes wait, and does Evenkeel act at all?', 'get_maintenance_status', {}, /how many recommended changes wait/],
  ['Is Evenkeel paused, and until when?', 'get_maintenance_status', {}, /active, dry-run or paused/],
  ['What is idle?', 'list_idle_workloads', {}, /idle size/],
  ['What does capacity that is not requested cost?', 'get_cluster_summary', {}, /capacity that no pod requests/],
  ['How is namespace shop?', 'get_namespace_health', { namespace: 'shop' }, /how is namespace X/],
  ['Which namespaces need attention?', 'get_namespace_health', {}, /which namespaces need attention/],
  ['Which node is full?', 'list_nodes', {}, /highest CPU usage first/],
  ['How many nodes are spot?', 'get_cluster_summary', {}, /spot, on-demand/],
  ['Which kubelets are old?', 'list_nodes', { limit: 500 }, /kubelet version/],
  ['Is a node starting?', 'get_scaling_status', {}, /nodes that are starting now/],
  ['Has the cluster grown this month?', 'get_cluster_usage', { duration: '30d' }, /whether it grows/],
  ['How far are requests above usage?', 'get_cluster_summary', {}, /requested, used/],
  ['What is scaled down on weekends?', null, {}, null],
  ['Which volume claims fill up?', null, {}, null],
  ['Approve the change of checkout.', null, {}, null],
  ['Restart the pods that crash.', null, {}, null],
  ['Show the logs of checkout.', null, {}, null],
];

const validate = new Map(
  TOOLS.map((tool) => [tool.name, valueValidator(inputSchemaOf(tool), schemaCompiler(DASHBOARD_API.schemas))] as const),
);

test.each(CHOICES.filter(([, tool]) => tool !== null))('%s', (_, name, given, words) => {
  expect(validate.get(name ?? '')?.(given)).toEqual({ ok: true, value: given });
  expect(TOOLS.find((tool) => tool.name === name)?.description).toMatch(words ?? /^$/);
});

test('a tool that changes anything does not exist, and the descriptions say so', () => {
  expect(TOOLS.filter(({ name }) => !/^(list|get)_/.test(name))).toEqual([]);
  const silent = ['list_workloads', 'get_maintenance_status'].filter(
    (name) => !(TOOLS.find((tool) => tool.name === name)?.description ?? '').includes('changes nothing'),
  );
  expect(silent).toEqual([]);
});

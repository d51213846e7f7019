// Recommendations as a table, YAML, CSV or a patch for `kubectl patch`.

import { stringify } from 'yaml';
import type { Recommendation, RecommendationStatusContainer } from '../../apis/v1alpha1/index.ts';
import { csvCell } from '../csv-cell.ts';

export const FORMATS = ['table', 'yaml', 'csv', 'patch'] as const;
export type Format = (typeof FORMATS)[number];

const HEADINGS = ['NAMESPACE', 'KIND', 'NAME', 'CONTAINER', 'CPU NOW', 'CPU', 'MEMORY NOW', 'MEMORY', 'STATE', 'REASON', 'USD/MONTH'];

/** Kinds whose template takes a strategic merge patch. */
const PATCHED_KINDS: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'CronJob']);

type Resources = Pick<NonNullable<RecommendationStatusContainer['recommended']>, 'requests' | 'limits'>;

/** Formats Recommendations. Containers without a recommended value are left out. */
export function formatRecommendations(recommendations: readonly Recommendation[], format: Format): string {
  switch (format) {
    case 'table':
      return alignColumns([HEADINGS, ...recommendations.flatMap(rowsOf)]);
    case 'csv':
      return [HEADINGS.map((heading) => heading.toLowerCase().replace(' ', '_')), ...recommendations.flatMap(rowsOf)]
        .map((row) => row.map(csvCell).join(','))
        .join('\n');
    case 'yaml':
      return stringify(recommendations.map(documentOf)).trimEnd();
    case 'patch':
      return joinPatches(recommendations.flatMap(patchOf));
  }
}

function rowsOf({ metadata, spec, status }: Recommendation): readonly (readonly string[])[] {
  const { kind, name } = spec.targetRef;
  const savings = status?.savingsPerMonthUsd;
  return recommendedContainers(status?.containers).map((container, index) => [
    metadata.namespace ?? '',
    kind,
    name,
    container.name,
    ...(['cpu', 'memory'] as const).flatMap((resource) => nowAndRecommended(container, resource)),
    status?.state ?? '',
    status?.reason ?? '',
    // The amount is the workload's: a sum of the column counts it once.
    index > 0 || savings === undefined ? '' : savingsText(savings),
  ]);
}

function nowAndRecommended({ current, recommended }: RecommendationStatusContainer, resource: 'cpu' | 'memory'): readonly string[] {
  return [current?.requests?.[resource] ?? '', recommended?.requests?.[resource] ?? ''];
}

/** `saves 2.39` or `needs 10.89 more`, so that no sign has to be interpreted. */
function savingsText(savings: number): string {
  if (savings === 0) return '0';
  return savings > 0 ? `saves ${savings.toFixed(2)}` : `needs ${(-savings).toFixed(2)} more`;
}

function documentOf({ metadata, spec, status }: Recommendation): object {
  return {
    namespace: metadata.namespace,
    kind: spec.targetRef.kind,
    name: spec.targetRef.name,
    state: status?.state,
    ...(status?.reason === undefined ? {} : { reason: status.reason }),
    ...(status?.savingsPerMonthUsd === undefined ? {} : { savingsPerMonthUsd: status.savingsPerMonthUsd }),
    containers: recommendedContainers(status?.containers).map(({ name, current, recommended }) => ({
      name,
      ...(current === undefined ? {} : { current: resourcesOf(current) }),
      recommended: resourcesOf(recommended),
    })),
  };
}

/** A strategic merge patch of the pod template, with the command that applies it. */
function patchOf({ metadata, spec, status }: Recommendation): readonly string[] {
  const containers = recommendedContainers(status?.containers).map(({ name, recommended }) => ({
    name,
    resources: resourcesOf(recommended),
  }));
  if (containers.length === 0) return [];
  const { kind, name } = spec.targetRef;
  const template = { template: { spec: { containers } } };
  const patch = { spec: kind === 'CronJob' ? { jobTemplate: { spec: template } } : template };
  return [`${headerOf(kind, metadata.namespace ?? '', name, status?.mode)}${stringify(patch)}`];
}

/** kubectl reads the first document of a patch file alone. */
function joinPatches(patches: readonly string[]): string {
  const note = '# Write each patch to a file of its own: evenkeel recommend NAMESPACE/NAME -o patch > FILE\n';
  return `${patches.length > 1 ? note : ''}${patches.join('---\n')}`.trimEnd();
}

/** How the patch is used. */
function headerOf(kind: string, namespace: string, name: string, mode: string | undefined): string {
  const workload = `${namespace}/${name}`;
  const use = PATCHED_KINDS.has(kind)
    ? `kubectl patch ${kind.toLowerCase()} ${name} -n ${namespace} --patch-file FILE`
    : 'copy the resources into its manifest, since kubectl cannot merge them into this kind';
  const note =
    mode === 'Auto'
      ? '# Mode Auto applies these values and follows usage; values that hold for weeks need mode Recommend or Approve.\n'
      : '';
  return `# ${kind} ${workload}: ${use}\n${note}`;
}

function recommendedContainers(containers: readonly RecommendationStatusContainer[] = []): readonly RecommendationStatusContainer[] {
  return containers.filter(({ recommended }) => recommended !== undefined);
}

function resourcesOf(values: Resources | undefined): Resources {
  const { requests, limits } = values ?? {};
  return { ...(requests === undefined ? {} : { requests }), ...(limits === undefined ? {} : { limits }) };
}

function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

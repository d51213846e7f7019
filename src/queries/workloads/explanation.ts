import type {
  ContainerAudit,
  ExplainedResource,
  ExplanationStep,
  Recommendation as RecommendationItem,
  RecommendedContainer,
} from '../../apis/http/types.generated.ts';
import type { RecommendationStatusInput } from '../../apis/v1alpha1/index.ts';
import { stepDifferences } from '../../core/model/explanation-step.ts';
import type { ResourceName } from '#kube/records/resources';
import type { ContainerAdvice, ResourceAdvice } from '../../core/recommender/advice.ts';
import { isoTimeOrNull } from '#kube/time/iso-time';

/**
 * Explains each number of a recommendation by its published steps, with the evidence where this process has it. The steps always add up to
 * the displayed number.
 */
export function explainContainers(
  record: RecommendationItem,
  steps: readonly RecommendationStatusInput[],
  evidence: readonly ContainerAdvice[],
): readonly ContainerAudit[] {
  return record.containers.map((container) => {
    const advice = evidence.find((candidate) => candidate.container === container.name);
    const explained = (resource: ResourceName): ExplainedResource | null =>
      explainResource(container, resource, steps, advice?.[resource] ?? null);
    return { name: container.name, inputs: inputsOf(advice, container), cpu: explained('cpu'), memory: explained('memory') };
  });
}

function inputsOf(advice: ContainerAdvice | undefined, container: RecommendedContainer): ContainerAudit['inputs'] {
  return {
    ...(advice === undefined ? NO_EVIDENCE : evidenceOf(advice)),
    oomKills: advice?.oomKills ?? container.oomKills,
    throttledRatio: advice?.throttledRatio ?? container.throttledRatio,
    cpuPressureRatio: advice?.cpuPressureRatio ?? container.cpuPressureRatio,
  };
}

const NO_EVIDENCE = {
  samples: null,
  droppedSamples: null,
  firstSampleAt: null,
  lastSampleAt: null,
  coverageRatio: null,
  enoughHistory: null,
  lastOomAt: null,
  leakSuspected: null,
  confidenceText: null,
} as const;

function evidenceOf(advice: ContainerAdvice): Omit<ContainerAudit['inputs'], 'oomKills' | 'throttledRatio' | 'cpuPressureRatio'> {
  return {
    samples: advice.samples,
    droppedSamples: advice.droppedSamples,
    firstSampleAt: isoTimeOrNull(advice.firstSampleAt),
    lastSampleAt: isoTimeOrNull(advice.lastSampleAt),
    coverageRatio: advice.coverage,
    enoughHistory: advice.enoughHistory,
    lastOomAt: isoTimeOrNull(advice.lastOomAt),
    leakSuspected: advice.leakSuspected,
    confidenceText: advice.confidenceText,
  };
}

function explainResource(
  container: RecommendedContainer,
  resource: ResourceName,
  published: readonly RecommendationStatusInput[],
  advice: ResourceAdvice | null,
): ExplainedResource | null {
  const field = resource === 'cpu' ? 'cpuMillicores' : 'memoryBytes';
  const unit = resource === 'cpu' ? 'millicores' : 'bytes';
  const inputs = published.filter((step) => step.container === container.name && step.resource === resource && step.unit === unit);
  const recommended = container.recommended.requests[field];
  if (recommended === null && inputs.length === 0 && advice === null) return null;
  const steps = inputs.map(({ step, detail = '', value }) => ({ step, detail, total: value }));
  return {
    unit,
    current: container.current.requests[field],
    recommended,
    ...usageAndBounds(container, field, advice),
    steps: recommended === null ? [] : withPublishedTotal(withAdded(steps.length > 0 ? steps : (advice?.steps ?? [])), recommended),
  };
}

function usageAndBounds(
  { lowerBound, upperBound, usage }: RecommendedContainer,
  field: 'cpuMillicores' | 'memoryBytes',
  advice: ResourceAdvice | null,
): Pick<ExplainedResource, 'lowerBound' | 'upperBound' | 'peak' | 'recentPeak' | 'latest' | 'confidence'> {
  const published = { lowerBound: lowerBound[field], upperBound: upperBound[field] };
  if (advice === null) return { ...published, peak: usage.max[field], recentPeak: null, latest: null, confidence: null };
  return {
    lowerBound: published.lowerBound ?? advice.lowerBound,
    upperBound: published.upperBound ?? advice.upperBound,
    peak: advice.peak,
    recentPeak: advice.recentPeak,
    latest: advice.latest,
    confidence: advice.confidence,
  };
}

/** Adds the difference of each step to the one before. */
function withAdded(steps: readonly Omit<ExplanationStep, 'value'>[]): readonly ExplanationStep[] {
  const added = stepDifferences(steps);
  return steps.map(({ step, detail, total }, index) => ({ step, detail, value: added[index] ?? 0, total }));
}

/** Adds a last step where the published value differs from the newest one, because that is within its tolerance. */
function withPublishedTotal(steps: readonly ExplanationStep[], recommended: number): readonly ExplanationStep[] {
  const total = steps.at(-1)?.total ?? 0;
  if (total === recommended) return steps;
  const detail =
    steps.length === 0
      ? 'The published value; its steps are not available.'
      : 'The published value stays: the newer value is within its tolerance.';
  return [...steps, { step: 'published', detail, value: recommended - total, total: recommended }];
}

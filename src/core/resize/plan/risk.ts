import type { RiskLevel } from '../../../apis/conditions.ts';
import type { ResourceAdvice } from '../../recommender/advice.ts';
import type { WorkloadDecision } from '../model/decision.ts';
import type { ContainerPlan } from '../model/container-plan.ts';

const LEVELS: readonly RiskLevel[] = ['none', 'low', 'medium', 'high'];
/** A reduction of which Evenkeel is this sure risks little. */
const SURE = 0.8;

/** The highest risk of any container: of staying too small, else of the reduction that is recommended. */
export function riskOf({ containers, state }: Pick<WorkloadDecision, 'containers' | 'state'>): RiskLevel {
  if (state === 'excluded' || state === 'collecting') return 'none';
  return containers.map(containerRisk).reduce((highest, risk) => (LEVELS.indexOf(risk) > LEVELS.indexOf(highest) ? risk : highest), 'none');
}

function containerRisk({ current, target, advice }: ContainerPlan): RiskLevel {
  if (target === null || advice === null) return 'none';
  const cpu = current.requests.cpuMillicores ?? 0;
  const memory = current.requests.memoryBytes ?? 0;
  if (isShort(memory, advice.memory)) {
    const killed = advice.oomKills > 0 || memory < (advice.memory?.recentPeak ?? 0);
    return killed ? 'high' : 'medium';
  }
  if (isShort(cpu, advice.cpu)) return 'medium';
  const falls = memory > (target.requests.memoryBytes ?? memory) || cpu > (target.requests.cpuMillicores ?? cpu);
  if (!falls) return 'none';
  return advice.confidence >= SURE ? 'low' : 'medium';
}

function isShort(amount: number, advice: ResourceAdvice | null): boolean {
  return advice !== null && amount < advice.lowerBound;
}

package main

import (
	"context"
	"fmt"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

// Decision is the result of the real plug-ins for one pending pod.
type Decision struct {
	Pod string `json:"pod"`
	// Gated pods never reach the filters.
	Gated string `json:"gated,omitempty"`
	// PreFilter is why no node is possible at all.
	PreFilter string              `json:"preFilter,omitempty"`
	Nodes     map[string]*Verdict `json:"nodes,omitempty"`
	// Scores of the nodes that fit, of which the scheduler chooses one with the highest at random.
	Scores map[string]int64 `json:"scores,omitempty"`
	// Message is that of the pod's PodScheduled condition, without preemption's part; empty when a node fits.
	Message    string      `json:"message,omitempty"`
	Preemption *Preemption `json:"preemption,omitempty"`
}

// Verdict of one node.
type Verdict struct {
	Fits    bool     `json:"fits"`
	Reasons []string `json:"reasons,omitempty"`
	// Resolvable: the deletion of pods could change it.
	Resolvable bool `json:"resolvable,omitempty"`
}

// Preemption is the choice of the default preemption on each node where it could help.
type Preemption struct {
	// Ineligible is why the pod may not preempt.
	Ineligible string             `json:"ineligible,omitempty"`
	Victims    map[string]Victims `json:"victims,omitempty"`
	// Helpless nodes: the deletion of their pods would not help.
	Helpless map[string][]string `json:"helpless,omitempty"`
	// Chosen is one of the best; more than one can be equally good.
	Chosen string `json:"chosen,omitempty"`
}

// Victims of one node, the most important first.
type Victims struct {
	Pods             []string `json:"pods"`
	BudgetViolations int64    `json:"budgetViolations"`
}

func decide(line []byte) (*Answer, error) {
	cluster, invalid, err := decodeCluster(line)
	if err != nil {
		return nil, err
	}
	if len(invalid) > 0 {
		return &Answer{Invalid: invalid}, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	world, err := newWorld(ctx, cluster)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Pods: []Decision{}}
	for _, pod := range cluster.Pending {
		decision, err := world.decidePod(ctx, pod)
		if err != nil {
			return nil, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
		answer.Pods = append(answer.Pods, *decision)
	}
	return answer, nil
}

// decidePod follows the scheduling cycle up to the filters: PreEnqueue, PreFilter, Filter for every node, and on failure the
// dry run of the default preemption.
func (w *world) decidePod(ctx context.Context, pod *v1.Pod) (*Decision, error) {
	decision := &Decision{Pod: pod.Namespace + "/" + pod.Name}
	for _, plugin := range w.framework.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(ctx, pod); !status.IsSuccess() {
			decision.Gated = status.Message()
			return decision, nil
		}
	}
	nodes, err := w.snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	diagnosis := framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
	state := framework.NewCycleState()
	result, status, unscheduledPlugins := w.framework.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		if !status.IsRejected() {
			return nil, status.AsError()
		}
		diagnosis.NodeToStatus.SetAbsentNodesStatus(status)
		diagnosis.PreFilterMsg = status.Message()
		decision.PreFilter = status.Message()
		decision.Message = fitError(pod, len(nodes), diagnosis)
		return decision, nil
	}
	absent := fwk.NewStatus(fwk.UnschedulableAndUnresolvable, fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", sets.List(unscheduledPlugins)))
	if !result.AllNodes() {
		diagnosis.NodeToStatus.SetAbsentNodesStatus(absent)
	}
	decision.Nodes = make(map[string]*Verdict, len(nodes))
	var feasible []fwk.NodeInfo
	for _, node := range nodes {
		name := node.Node().Name
		if !result.AllNodes() && !result.NodeNames.Has(name) {
			decision.Nodes[name] = &Verdict{Reasons: absent.Reasons()}
			continue
		}
		status := w.framework.RunFilterPlugins(ctx, state, pod, node)
		if status.IsSuccess() {
			decision.Nodes[name] = &Verdict{Fits: true}
			feasible = append(feasible, node)
			continue
		}
		if !status.IsRejected() {
			return nil, fmt.Errorf("node %s: %w", name, status.AsError())
		}
		diagnosis.NodeToStatus.Set(name, status)
		reasons := append([]string(nil), status.Reasons()...)
		sort.Strings(reasons)
		decision.Nodes[name] = &Verdict{Reasons: reasons, Resolvable: status.Code() == fwk.Unschedulable}
	}
	if len(feasible) > 0 || len(nodes) == 0 {
		decision.Scores, err = w.score(ctx, state, pod, feasible)
		return decision, err
	}
	decision.Message = fitError(pod, len(nodes), diagnosis)
	decision.Preemption, err = w.preempt(ctx, state, pod, diagnosis)
	return decision, err
}

// score runs the score plug-ins on the nodes that fit.
func (w *world) score(ctx context.Context, state fwk.CycleState, pod *v1.Pod, feasible []fwk.NodeInfo) (map[string]int64, error) {
	if status := w.framework.RunPreScorePlugins(ctx, state, pod, feasible); !status.IsSuccess() {
		return nil, fmt.Errorf("before the scores: %w", status.AsError())
	}
	totals, status := w.framework.RunScorePlugins(ctx, state, pod, feasible)
	if !status.IsSuccess() {
		return nil, fmt.Errorf("scores: %w", status.AsError())
	}
	scores := make(map[string]int64, len(totals))
	for _, total := range totals {
		scores[total.Name] = total.TotalScore
	}
	return scores, nil
}

func fitError(pod *v1.Pod, nodes int, diagnosis framework.Diagnosis) string {
	fault := &framework.FitError{Pod: pod, NumAllNodes: nodes, Diagnosis: diagnosis}
	return fault.Error()
}

// preempt runs the real dry run on every node that preemption could help on (the real one stops after the first hundred).
func (w *world) preempt(ctx context.Context, state fwk.CycleState, pod *v1.Pod, diagnosis framework.Diagnosis) (*Preemption, error) {
	plugin, err := defaultpreemption.New(ctx, w.preemptionArgs, w.framework, w.features)
	if err != nil {
		return nil, fmt.Errorf("making the preemption plug-in: %w", err)
	}
	potential, err := diagnosis.NodeToStatus.NodesForStatusCode(w.snapshot.NodeInfos(), fwk.Unschedulable)
	if err != nil {
		return nil, err
	}
	if ok, why := plugin.PodEligibleToPreemptOthers(ctx, pod, nil); !ok {
		return &Preemption{Ineligible: why}, nil
	}
	if len(potential) == 0 {
		return &Preemption{}, nil
	}
	candidates, statuses, err := plugin.Evaluator.DryRunPreemption(ctx, state, pod, potential, w.cluster.Budgets, 0, int32(len(potential))+1)
	if err != nil {
		return nil, fmt.Errorf("dry run of preemption: %w", err)
	}
	preemption := &Preemption{Victims: map[string]Victims{}, Helpless: map[string][]string{}}
	for _, candidate := range candidates {
		names := []string{}
		for _, victim := range candidate.Victims().Pods {
			names = append(names, victim.Namespace+"/"+victim.Name)
		}
		preemption.Victims[candidate.Name()] = Victims{Pods: names, BudgetViolations: candidate.Victims().NumPDBViolations}
	}
	statuses.ForEachExplicitNode(func(name string, status *fwk.Status) {
		reasons := append([]string(nil), status.Reasons()...)
		sort.Strings(reasons)
		preemption.Helpless[name] = reasons
	})
	if best := plugin.Evaluator.SelectCandidate(ctx, candidates); best != nil {
		preemption.Chosen = best.Name()
	}
	return preemption, nil
}

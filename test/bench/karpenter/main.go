// Schedules pods with Karpenter's scheduler on the 400 machine types of its own benchmark: a PodList on stdin, one JSON object on stdout.
// Only the scheduling is timed, as in that benchmark; no API server runs.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	fakeclient "sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/logging"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/test"
)

const (
	machineTypeCount = 400
	// workers is how many candidate nodes are evaluated at the same time in Karpenter's own benchmark.
	workers = 5
)

// result is the answer on stdout.
type result struct {
	MachineTypes []machineType `json:"machineTypes"`
	// Finished is false where the time was over first; the nodes are then those so far.
	Finished bool `json:"finished"`
	// Unscheduled is how many pods have no node.
	Unscheduled int     `json:"unscheduled"`
	Seconds     float64 `json:"seconds"`
	CPUSeconds  float64 `json:"cpuSeconds"`
	Nodes       int     `json:"nodes"`
	// USDPerHour adds up the cheapest offering of each node.
	USDPerHour float64 `json:"usdPerHour"`
}

type machineType struct {
	Name          string     `json:"name"`
	CPUMillicores int64      `json:"cpuMillicores"`
	MemoryMiB     int64      `json:"memoryMib"`
	MaxPods       int64      `json:"maxPods"`
	Offerings     []offering `json:"offerings"`
}

type offering struct {
	Zone         string  `json:"zone"`
	CapacityType string  `json:"capacityType"`
	USDPerHour   float64 `json:"usdPerHour"`
}

func main() {
	timeout := flag.Duration("timeout", time.Minute, "time of the scheduling after which it is given up")
	flag.Parse()
	log.SetLogger(logging.NopLogger)
	if err := run(*timeout); err != nil {
		fmt.Fprintf(os.Stderr, "karpenter: %v\n", err)
		os.Exit(1)
	}
}

func run(timeout time.Duration) error {
	var list corev1.PodList
	if err := json.NewDecoder(os.Stdin).Decode(&list); err != nil {
		return fmt.Errorf("reading pods: %w", err)
	}
	pods := make([]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pods[i] = &list.Items[i]
	}
	answer, err := schedule(pods, timeout)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(answer)
}

func schedule(pods []*corev1.Pod, timeout time.Duration) (*result, error) {
	ctx := options.ToContext(context.Background(), test.Options())
	types := fake.InstanceTypes(machineTypeCount)
	scheduler, err := newScheduler(ctx, pods, types)
	if err != nil {
		return nil, err
	}
	// Garbage of the input is not the scheduler's.
	runtime.GC()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	started, cpuStarted := time.Now(), cpuTime()
	results, err := scheduler.Solve(ctx, pods)
	answer := &result{
		MachineTypes: describe(types),
		Finished:     err == nil,
		Unscheduled:  len(pods),
		Seconds:      time.Since(started).Seconds(),
		CPUSeconds:   (cpuTime() - cpuStarted).Seconds(),
		Nodes:        len(results.NewNodeClaims),
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("scheduling: %w", err)
	}
	for _, node := range results.NewNodeClaims {
		answer.Unscheduled -= len(node.Pods)
		cheapest := node.InstanceTypeOptions.OrderByPrice(node.Requirements)[0]
		answer.USDPerHour += cheapest.Offerings.Available().Compatible(node.Requirements).Cheapest().Price
	}
	return answer, nil
}

func newScheduler(ctx context.Context, pods []*corev1.Pod, types []*cloudprovider.InstanceType) (*scheduling.Scheduler, error) {
	// Limits of the size of the cluster are not part of the comparison.
	nodePool := test.NodePool()
	nodePool.Spec.Limits = nil
	nodePools := []*v1.NodePool{nodePool}
	typesByPool := map[string][]*cloudprovider.InstanceType{nodePool.Name: types}
	provider := fake.NewCloudProvider()
	provider.InstanceTypes = types
	client := fakeclient.NewFakeClient()
	realClock := clock.RealClock{}
	cluster := state.NewCluster(realClock, client, provider)
	concurrency := scheduling.NumConcurrentReconciles(workers)
	topology, err := scheduling.NewTopology(ctx, client, cluster, nil, nodePools, typesByPool, pods, concurrency)
	if err != nil {
		return nil, fmt.Errorf("reading the pods' topology: %w", err)
	}
	recorder := events.NewRecorder(&record.FakeRecorder{})
	return scheduling.NewScheduler(
		ctx, client, nodePools, cluster, nil, topology, typesByPool, nil, recorder, realClock, nil, nil, concurrency,
	), nil
}

func describe(types []*cloudprovider.InstanceType) []machineType {
	described := make([]machineType, 0, len(types))
	for _, each := range types {
		allocatable := each.Allocatable()
		about := machineType{
			Name:          each.Name,
			CPUMillicores: allocatable.Cpu().MilliValue(),
			MemoryMiB:     allocatable.Memory().Value() >> 20,
			MaxPods:       allocatable.Pods().Value(),
		}
		for _, offered := range each.Offerings.Available() {
			about.Offerings = append(about.Offerings, offering{offered.Zone(), offered.CapacityType(), offered.Price})
		}
		described = append(described, about)
	}
	return described
}

// cpuTime is what the process has used, garbage collection included.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

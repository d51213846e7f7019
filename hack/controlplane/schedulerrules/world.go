package main

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// world is the real framework with its default profile, over one cluster.
type world struct {
	cluster        *Cluster
	snapshot       *internalcache.Snapshot
	framework      framework.Framework
	preemptionArgs runtime.Object
	features       feature.Features
}

// noNominations: no pod has a nominated node.
type noNominations struct{ fwk.PodNominator }

func (noNominations) NominatedPodsForNode(string) []fwk.PodInfo { return nil }

func newWorld(ctx context.Context, cluster *Cluster) (*world, error) {
	client := fake.NewSimpleClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	if err := fill(factory, cluster); err != nil {
		return nil, err
	}
	snapshot := internalcache.NewSnapshot(running(cluster), cluster.Nodes)
	claims := assumecache.NewAssumeCache(klog.FromContext(ctx), factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := resourceslicetracker.StartTracker(ctx, resourceslicetracker.Options{
		SliceInformer: factory.Resource().V1().ResourceSlices(),
		KubeClient:    client,
	})
	if err != nil {
		return nil, fmt.Errorf("starting the resource slice tracker: %w", err)
	}
	config, err := latest.Default()
	if err != nil {
		return nil, fmt.Errorf("reading the scheduler's default configuration: %w", err)
	}
	profile := config.Profiles[0]
	made, err := frameworkruntime.NewFramework(ctx, plugins.NewInTreeRegistry(), &profile,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSnapshotSharedLister(snapshot),
		frameworkruntime.WithSharedDRAManager(dynamicresources.NewDRAManager(ctx, claims, slices, factory)),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithPodNominator(noNominations{}),
		// Clusters are evaluated in parallel; the nodes of one are not.
		frameworkruntime.WithParallelism(1),
	)
	if err != nil {
		return nil, fmt.Errorf("making the framework: %w", err)
	}
	result := &world{cluster: cluster, snapshot: snapshot, framework: made, features: feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)}
	for _, plugin := range profile.PluginConfig {
		if plugin.Name == names.DefaultPreemption {
			result.preemptionArgs = plugin.Args
		}
	}
	return result, nil
}

// running omits ended pods, which the scheduler's informer never sees, and pods on unknown nodes.
func running(cluster *Cluster) []*v1.Pod {
	known := make(map[string]bool, len(cluster.Nodes))
	for _, node := range cluster.Nodes {
		known[node.Name] = true
	}
	var left []*v1.Pod
	for _, pod := range cluster.Pods {
		if pod.Status.Phase != v1.PodSucceeded && pod.Status.Phase != v1.PodFailed && known[pod.Spec.NodeName] {
			left = append(left, pod)
		}
	}
	return left
}

// fill adds the objects to the informers' stores; no informer is ever started.
func fill(factory informers.SharedInformerFactory, cluster *Cluster) error {
	core, storage := factory.Core().V1(), factory.Storage().V1()
	return errors.Join(
		add(core.Namespaces().Informer(), cluster.Namespaces),
		add(core.PersistentVolumes().Informer(), cluster.Volumes),
		add(core.PersistentVolumeClaims().Informer(), cluster.Claims),
		add(core.Nodes().Informer(), cluster.Nodes),
		add(storage.StorageClasses().Informer(), cluster.StorageClasses),
		add(storage.CSINodes().Informer(), cluster.CSINodes),
		add(storage.CSIDrivers().Informer(), cluster.CSIDrivers),
		add(storage.CSIStorageCapacities().Informer(), cluster.StorageCapacities),
		add(storage.VolumeAttachments().Informer(), cluster.VolumeAttachments),
		add(factory.Policy().V1().PodDisruptionBudgets().Informer(), cluster.Budgets),
	)
}

func add[T any](informer cache.SharedIndexInformer, objects []T) error {
	for _, object := range objects {
		if err := informer.GetIndexer().Add(object); err != nil {
			return fmt.Errorf("filling an informer: %w", err)
		}
	}
	return nil
}

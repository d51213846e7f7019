package main

import (
	"context"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	registrypod "k8s.io/kubernetes/pkg/registry/core/pod"
)

// Cluster is one line of input: objects in wire format. Pods are the running ones; Pending are those to decide, each
// separately, without the others.
type Cluster struct {
	Nodes             []*v1.Node                      `json:"nodes"`
	Pods              []*v1.Pod                       `json:"pods"`
	Pending           []*v1.Pod                       `json:"pending"`
	Namespaces        []*v1.Namespace                 `json:"namespaces"`
	Volumes           []*v1.PersistentVolume          `json:"volumes"`
	Claims            []*v1.PersistentVolumeClaim     `json:"claims"`
	StorageClasses    []*storagev1.StorageClass       `json:"storageClasses"`
	CSINodes          []*storagev1.CSINode            `json:"csiNodes"`
	CSIDrivers        []*storagev1.CSIDriver          `json:"csiDrivers"`
	StorageCapacities []*storagev1.CSIStorageCapacity `json:"storageCapacities"`
	VolumeAttachments []*storagev1.VolumeAttachment   `json:"volumeAttachments"`
	Budgets           []*policyv1.PodDisruptionBudget `json:"budgets"`
}

// Answer is one line of output.
type Answer struct {
	// Error is why the whole cluster could not be evaluated.
	Error string `json:"error,omitempty"`
	// Invalid lists objects that a real API server would refuse: the cluster cannot exist.
	Invalid []string   `json:"invalid,omitempty"`
	Pods    []Decision `json:"pods,omitempty"`
}

func decodeCluster(line []byte) (*Cluster, []string, error) {
	cluster := &Cluster{}
	if err := json.Unmarshal(line, cluster); err != nil {
		return nil, nil, fmt.Errorf("decoding the cluster: %w", err)
	}
	applyDefaults(cluster.Nodes)
	applyDefaults(cluster.Namespaces)
	applyDefaults(cluster.Volumes)
	applyDefaults(cluster.Claims)
	applyDefaults(cluster.StorageClasses)
	applyDefaults(cluster.CSINodes)
	applyDefaults(cluster.CSIDrivers)
	applyDefaults(cluster.StorageCapacities)
	applyDefaults(cluster.Budgets)
	var invalid []string
	for _, pods := range [][]*v1.Pod{cluster.Pods, cluster.Pending} {
		for i, pod := range pods {
			admitted, wrong, err := admit(pod)
			if err != nil {
				return nil, nil, err
			}
			pods[i] = admitted
			invalid = append(invalid, wrong...)
		}
	}
	return cluster, invalid, nil
}

func applyDefaults[T runtime.Object](objects []T) {
	for _, object := range objects {
		legacyscheme.Scheme.Default(object)
	}
}

// admit applies the create steps of an API server to a pod: defaults, the strategy (which merges matchLabelKeys into
// selectors) and validation. Its status is kept, because the kubelet has already written it.
func admit(pod *v1.Pod) (*v1.Pod, []string, error) {
	status := pod.Status.DeepCopy()
	legacyscheme.Scheme.Default(pod)
	internal := &core.Pod{}
	if err := legacyscheme.Scheme.Convert(pod, internal, nil); err != nil {
		return nil, nil, fmt.Errorf("converting pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	ctx := request.WithNamespace(context.Background(), pod.Namespace)
	registrypod.Strategy.PrepareForCreate(ctx, internal)
	var wrong []string
	for _, fault := range registrypod.Strategy.Validate(ctx, internal) {
		wrong = append(wrong, fmt.Sprintf("pod %s/%s: %v", pod.Namespace, pod.Name, fault))
	}
	admitted := &v1.Pod{}
	if err := legacyscheme.Scheme.Convert(internal, admitted, nil); err != nil {
		return nil, nil, fmt.Errorf("converting pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	admitted.Status = *status
	return admitted, wrong, nil
}

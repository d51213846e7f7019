// One binary for the whole control plane: the first argument chooses the component, the rest are that component's own flags.
package main

import (
	"fmt"
	"os"
	"sort"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register" // --logging-format=json
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// components are the runnable programs; each gets its arguments and returns the exit code.
var components = map[string]func(arguments []string) int{
	"etcd": func(arguments []string) int {
		etcdmain.Main(append([]string{"etcd"}, arguments...))
		return 0
	},
	"kube-apiserver":          command(apiserver.NewAPIServerCommand),
	"kube-controller-manager": command(controllermanager.NewControllerManagerCommand),
	"kube-scheduler":          command(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
}

// command runs a component that is a cobra command. It is created only when chosen, because creating it registers its flags and metrics.
func command(make func() *cobra.Command) func([]string) int {
	return func(arguments []string) int {
		chosen := make()
		chosen.SetArgs(arguments)
		return cli.Run(chosen)
	}
}

func main() {
	if len(os.Args) > 1 {
		if run, found := components[os.Args[1]]; found {
			os.Exit(run(os.Args[2:]))
		}
	}
	names := make([]string, 0, len(components))
	for name := range components {
		names = append(names, name)
	}
	sort.Strings(names)
	fmt.Fprintf(os.Stderr, "usage: %s COMPONENT [FLAG]...\ncomponents: %v\n", os.Args[0], names)
	os.Exit(2)
}

// Command shiplog-controlplane is one binary that holds the parts of a Kubernetes control plane which the
// end-to-end tests need. The name it is called by (a symbolic link) picks the part, or else the first argument.
// Each part keeps its upstream name, because user agents and managedFields take the manager's name from it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	"shiplog.dev/e2e/controlplane/parent"

	_ "k8s.io/client-go/plugin/pkg/client/auth"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

var parts = map[string]func(){
	"etcd":                    func() { etcdmain.Main(os.Args) },
	"kube-apiserver":          func() { os.Exit(cli.Run(apiserver.NewAPIServerCommand())) },
	"kube-controller-manager": func() { os.Exit(cli.Run(controllermanager.NewControllerManagerCommand())) },
	"kube-scheduler":          func() { os.Exit(cli.Run(scheduler.NewSchedulerCommand())) },
	"supervise":               supervise,
}

func main() {
	part := filepath.Base(os.Args[0])
	if _, known := parts[part]; !known {
		if len(os.Args) < 2 {
			fail("usage: shiplog-controlplane PART [arguments]")
		}
		part = os.Args[1]
		// The commands read os.Args themselves; they must see the name of the real binary in front.
		os.Args = append([]string{part}, os.Args[2:]...)
	}
	run, known := parts[part]
	if !known {
		fail(fmt.Sprintf("unknown part %q", part))
	}
	if part != "supervise" {
		parent.EndWith()
	}
	run()
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(2)
}

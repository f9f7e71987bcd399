// Command kubectl is upstream's kubectl. It is a program of its own: the tests call it thousands of times, and getting
// the packages of a whole control plane ready takes longer than most commands.
package main

import (
	"os"
	"runtime/debug"

	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"

	"shiplog.dev/e2e/controlplane/parent"

	_ "k8s.io/client-go/plugin/pkg/client/auth"
)

func main() {
	// A command ends before its garbage is worth collecting.
	debug.SetGCPercent(-1)
	parent.EndWith()
	// Verbosity first, as upstream's main does: plugins and kuberc are read before the flags.
	_, _ = logs.GlogSetter(cmd.GetLogVerbosity(os.Args))
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}

package main

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"shiplog.dev/e2e/controlplane/parent"
)

// supervise runs a command that knows nothing of the parent pipe, passes signals on, and ends it with the parent.
func supervise() {
	if len(os.Args) < 2 {
		fail("usage: supervise COMMAND [arguments]")
	}
	child := exec.Command(os.Args[1], os.Args[2:]...)
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		fail(err.Error())
	}

	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		for received := range signals {
			_ = child.Process.Signal(received)
		}
	}()
	go func() {
		parent.Wait()
		_ = child.Process.Kill()
	}()

	var exit *exec.ExitError
	if err := child.Wait(); errors.As(err, &exit) {
		os.Exit(max(exit.ExitCode(), 1))
	}
}

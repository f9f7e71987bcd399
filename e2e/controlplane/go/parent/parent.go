// Package parent ends a program with the one that started it.
package parent

import (
	"io"
	"os"
)

// pipe is set by a parent that holds the other end of standard input. However the parent dies, the pipe closes; so
// no part outlives the test run that started it.
const pipe = "SHIPLOG_PARENT_PIPE"

// EndWith ends this program once its parent is gone, where that holds the pipe.
func EndWith() {
	if os.Getenv(pipe) == "" {
		return
	}
	go func() {
		Wait()
		os.Exit(1)
	}()
}

// Wait returns when the parent is gone.
func Wait() {
	_, _ = io.Copy(io.Discard, os.Stdin)
}

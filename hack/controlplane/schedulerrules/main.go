// Runs the filters of the real kube-scheduler on clusters: one JSON object per line on stdin (see cluster.go), one answer per
// line on stdout, in the same order. No API server runs: the framework reads from informers that are filled directly.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// maxLineBytes bounds one cluster; the largest of the tests are far below a megabyte.
const maxLineBytes = 64 << 20

func main() {
	workers := flag.Int("workers", runtime.NumCPU(), "how many clusters are looked at at the same time")
	flag.Parse()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	metrics.Register()
	if err := answerAll(os.Stdin, os.Stdout, *workers); err != nil {
		fmt.Fprintf(os.Stderr, "schedulerrules: %v\n", err)
		os.Exit(1)
	}
}

// answerAll keeps the order of the lines, whichever worker finishes first.
func answerAll(in io.Reader, out io.Writer, workers int) error {
	answers := make(chan chan []byte, workers)
	failed := make(chan error, 1)
	go func() {
		defer close(answers)
		lines := bufio.NewScanner(in)
		lines.Buffer(make([]byte, 1<<20), maxLineBytes)
		for lines.Scan() {
			line := append([]byte(nil), lines.Bytes()...)
			answer := make(chan []byte, 1)
			// Blocks while all workers are busy.
			answers <- answer
			go func() { answer <- answerLine(line) }()
		}
		if err := lines.Err(); err != nil {
			failed <- fmt.Errorf("reading clusters: %w", err)
		}
	}()
	writer := bufio.NewWriter(out)
	for answer := range answers {
		if _, err := writer.Write(append(<-answer, '\n')); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
		// The reader may wait for this answer before it sends more.
		if err := writer.Flush(); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
	}
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func answerLine(line []byte) []byte {
	answer, err := decide(line)
	if err != nil {
		answer = &Answer{Error: err.Error()}
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		encoded, _ = json.Marshal(Answer{Error: errors.Join(errors.New("encoding the answer"), err).Error()})
	}
	return encoded
}

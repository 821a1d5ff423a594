package main

import (
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	// progressDelay keeps the bar away from queries that are over soon.
	progressDelay = 2 * time.Second
	// progressInterval is the time between two drawings of the bar.
	progressInterval = 100 * time.Millisecond
	progressWidth    = 30
)

// The values of --progress.
const (
	progressAuto   = "auto"
	progressAlways = "always"
	progressNever  = "never"
)

// progress is a bar on standard error.
type progress struct {
	env     *environ
	what    string               // stands before the bar
	units   []progressbar.Option // how what is counted is shown
	appear  time.Time
	mu      sync.Mutex
	bar     *progressbar.ProgressBar
	stopped bool
}

// newProgress returns a bar of bytes that are read, or nil if mode says that
// there is to be none.
func newProgress(env *environ, mode string) (*progress, error) {
	p := &progress{env: env, what: "reading", appear: time.Now(), units: []progressbar.Option{
		progressbar.OptionShowBytes(true), progressbar.OptionShowTotalBytes(true), progressbar.OptionUseIECUnits(true)}}
	switch mode {
	case progressAlways:
	case progressAuto:
		if !env.stderrTerminal || env.getenv("TERM") == "dumb" {
			return nil, nil
		}
		p.appear = p.appear.Add(progressDelay)
	case progressNever:
		return nil, nil
	default:
		return nil, usagef("unknown value %q of --progress; the values are auto, always and never", mode)
	}
	return p, nil
}

// report tells how many of total bytes, or whatever the bar counts, are done.
func (p *progress) report(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || total <= 0 {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(total, append([]progressbar.Option{
			progressbar.OptionSetWriter(p.env.stderr),
			progressbar.OptionSetDescription(p.what),
			progressbar.OptionSetWidth(progressWidth),
			progressbar.OptionThrottle(progressInterval),
			progressbar.OptionSetRenderBlankState(false),
		}, p.units...)...)
		p.bar.StartWithoutRender() // so that the rate is one since now
	}
	if time.Now().Before(p.appear) {
		return
	}
	// A bar that has reached its end cannot be cleared any more.
	_ = p.bar.Set64(min(done, total-1))
}

// describe changes what stands before the bar.
func (p *progress) describe(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	if p.bar != nil {
		progressbar.OptionSetDescription(what)(p.bar) // Describe would draw it, at once
	}
}

// stop clears the bar.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}

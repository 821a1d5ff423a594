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
	appear  time.Time
	mu      sync.Mutex
	bar     *progressbar.ProgressBar
	stopped bool
}

// newProgress returns a bar, or nil if mode says that there is to be none.
func newProgress(env *environ, mode string) (*progress, error) {
	p := &progress{env: env, appear: time.Now()}
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

// report tells how many of total bytes are done.
func (p *progress) report(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || total <= 0 {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(p.env.stderr),
			progressbar.OptionSetDescription("reading"),
			progressbar.OptionSetWidth(progressWidth),
			progressbar.OptionThrottle(progressInterval),
			progressbar.OptionShowBytes(true),
			progressbar.OptionShowTotalBytes(true),
			progressbar.OptionUseIECUnits(true),
			progressbar.OptionSetRenderBlankState(false),
		)
		p.bar.StartWithoutRender() // so that the rate is one since now
	}
	if time.Now().Before(p.appear) {
		return
	}
	// A bar that has reached its end cannot be cleared any more.
	_ = p.bar.Set64(min(done, total-1))
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

package hashagg

// newHybrid gives each worker a small table for the keys that it sees most:
// when that is full it takes no more keys, and rows that have none of its keys
// go to the partitions. So a heavy hitter costs nothing, and there is about one
// copy of a group however many workers there are (the hybrid of Cieslewicz and
// Ross, VLDB 2007; Ye, Ross and Vesdapunt, DaMoN 2011; and ClickHouse's adaptive
// aggregation).
func newHybrid(s *Sink) aggregation { return &hybrid{newPartitions(s)} }

type hybrid struct{ *partitions }

func (a *hybrid) worker(w *work) worker {
	return &hybridWorker{fronted: a.fronted(w), limit: a.sink.knobs.frontGroups}
}

const (
	// windowRows is how many rows pass between two looks at the counters.
	windowRows = 64 << 10
	// passedBatches is the share of batches, one in so many, that are looked up
	// while the table is passed by.
	passedBatches = 16
	// usefulHits is the share of rows, one in so many, below which looking
	// up is not worth it.
	usefulHits = 4
	// manyRepeats is how many rows a new group of a partition must have for the
	// worker's table to start again with the keys that come now.
	manyRepeats = 4
	// hotShare is how many times the mean a partition's rows must be for that.
	hotShare = 4
	// mostPatience bounds the windows that pass before the table starts again
	// once more, which double each time that it has not helped.
	mostPatience = 64
)

type hybridWorker struct {
	fronted
	limit  int // groups of front at which it takes no more
	passed int // batches since the last look-up, while the table is passed by
	bypass bool
	start  work // at the beginning of the window

	windows  int  // since the table started again
	patience int  // windows before it may do so once more
	fresh    bool // no window since the table started again

}

func (w *hybridWorker) add(in *input) error {
	c := w.router.work
	if !w.front.frozen {
		rest, err := w.put(in)
		c.hits += int64(in.n - rest)
		if err == nil && w.front.table != nil && !w.front.frozen && w.front.groups() >= w.limit {
			w.front.freeze()
		}
		w.start = *c
		return err
	}
	var err error
	if w.bypass && w.passed < passedBatches {
		w.passed++
		err = w.router.stage(in, nil)
	} else {
		err = w.look(in)
	}
	if err != nil || c.rows-w.start.rows < w.router.to.sink.knobs.windowRows {
		return err
	}
	return w.steer()
}

// look adds the rows whose key the front has to it, and stages the others.
func (w *hybridWorker) look(in *input) error {
	w.passed = 0
	rest, err := w.put(in)
	w.router.work.hits += int64(in.n - rest)
	w.router.work.probed += int64(in.n)
	return err
}

// steer looks at what the window has shown. Nothing that it decides is for
// good.
func (w *hybridWorker) steer() error {
	c, was := w.router.work, w.start
	w.start = *c
	hits, probed := c.hits-was.hits, c.probed-was.probed
	drained, made := c.drained-was.drained, c.made-was.made
	few := probed > 0 && hits*usefulHits < probed
	other := few && drained > 0 && drained >= manyRepeats*max(made, 1)
	hot := w.router.hottest() > hotShare
	w.windows++
	if w.fresh && probed > 0 {
		w.fresh = false
		if few {
			w.patience = min(2*w.patience+1, mostPatience)
		} else {
			w.patience = 0
		}
	}
	switch {
	case (other || hot) && w.windows > w.patience:
		// The keys that come now are others, and come again.
		w.windows, w.fresh, w.bypass = 0, true, false
		c.change("table kept", "table begun again", "other keys come again and again")
		return w.handOver()
	case probed > 0 && few != w.bypass:
		w.bypass = few
		if few {
			c.change("table looked up", "table passed by", "less than a quarter of the rows have one of its keys")
		} else {
			c.change("table passed by", "table looked up", "a quarter of the rows or more have one of its keys")
		}
	}
	return nil
}

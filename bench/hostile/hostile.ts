import { atMost, type Metric, milliseconds, plain } from '@/bench/support/figure';
import { deepBody } from '@/bench/hostile/deep-body';
import type { Hostile } from '@/bench/hostile/environment';
import { reorderedLists } from '@/bench/hostile/reordered-lists';
import { retention } from '@/bench/hostile/retention';
import { secretShapes } from '@/bench/hostile/secret-shapes';
import { streams } from '@/bench/hostile/streams';
import type { BenchEnvironment } from '@/bench/support/environment';
import { measureEventLoop } from '@/bench/support/event-loop-delay';

/** Each in a file of its own. */
const scenarios: readonly Hostile[] = [
  ...reorderedLists,
  ...secretShapes,
  ...deepBody,
  ...streams,
  retention,
];

/** Limit for the wait of other work in the process. */
const EVENT_LOOP_DELAY_MS_MAX = 100;

/** The longest work in one iteration of the event loop while hostile objects arrive: processor time of this thread. */
export async function measureHostile(environment: BenchEnvironment): Promise<Metric[]> {
  const figures: Metric[] = [];
  let worstDelay = 0;
  for (const { what, prepare, run, close } of scenarios) {
    environment.log(`… ${what}`);
    try {
      await prepare?.(environment);
      const { worstMs, delayMs } = await measureEventLoop(() => run(environment));
      worstDelay = Math.max(worstDelay, delayMs);
      figures.push(atMost(what, worstMs, EVENT_LOOP_DELAY_MS_MAX, milliseconds));
    } finally {
      await close?.();
    }
  }
  return [
    ...figures,
    plain('Worst delay of the event loop in all of it, by the clock', milliseconds(worstDelay)),
  ];
}

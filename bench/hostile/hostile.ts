import { atMost, type Figure, milliseconds, plain } from '@/bench/figure';
import { deepBody } from '@/bench/hostile/deep-body';
import { reorderedLists } from '@/bench/hostile/reordered-lists';
import { retention } from '@/bench/hostile/retention';
import { secretShapes } from '@/bench/hostile/secret-shapes';
import { streams } from '@/bench/hostile/streams';
import { type Stage } from '@/bench/stage';
import { turnsDuring } from '@/bench/turns';

/** Something made to freeze the server. */
export interface Hostile {
  /** `10,000 variables in reverse order`. */
  what: string;
  /** Brings everything about that is not to be measured. `close` is called at the end, whatever happens. */
  prepare?: (stage: Stage) => Promise<void>;
  /** What the server does about it, in this thread. */
  run: (stage: Stage) => unknown;
  close?: () => Promise<void>;
}

/** Each in a file of its own. */
const scenarios: readonly Hostile[] = [
  ...reorderedLists,
  ...secretShapes,
  ...deepBody,
  ...streams,
  retention,
];

/** Nothing else of the process waits longer than this. */
const TURN_MS = 100;

/** The longest piece of work in one turn of the event loop while hostile objects come in: processor time of this thread. */
export async function measureHostile(stage: Stage): Promise<Figure[]> {
  const figures: Figure[] = [];
  let worstDelay = 0;
  for (const { what, prepare, run, close } of scenarios) {
    stage.say(`… ${what}`);
    try {
      await prepare?.(stage);
      const { worstMs, delayMs } = await turnsDuring(() => run(stage));
      worstDelay = Math.max(worstDelay, delayMs);
      figures.push(atMost(what, worstMs, TURN_MS, milliseconds));
    } finally {
      await close?.();
    }
  }
  return [
    ...figures,
    plain('Worst delay of the event loop in all of it, by the clock', milliseconds(worstDelay)),
  ];
}

import { type Metric, times } from '@/bench/support/figure';
import type { BenchEnvironment } from '@/bench/support/environment';
import { median, quantile } from '@/bench/support/statistics';

/** One round of a measurement. It leaves a server of the environment running for the next one. */
export type Round = (environment: BenchEnvironment) => Promise<Metric[]>;

/** A figure of two builds, each in its rounds. */
export interface ComparedFigure {
  what: string;
  own: string;
  other: string;
  ratio: string;
  /** The middle half of the ratios of the other build to itself, one round to the next. */
  spread: string;
  verdict: 'less' | 'more' | 'no difference';
}

/** Several rounds as one: of each quantity the median. */
export function medianOf(rounds: readonly (readonly Metric[])[]): Metric[] {
  const [first = []] = rounds;
  return first.map((metric, index) => metric.quantity?.of(median(amountsOf(rounds, index))) ?? metric);
}

/**
 * Measures two builds in turns on one cluster. A shared machine changes its speed by half within a minute, so a round
 * is short, and is compared with the adjacent one of the other build alone.
 */
export async function compare(
  run: Round,
  rounds: number,
  own: BenchEnvironment,
  other: BenchEnvironment,
): Promise<{ figures: ComparedFigure[]; own: Metric[] }> {
  const [ours, theirs]: [Metric[][], Metric[][]] = [[], []];
  own.log('  filling the archive of each build …');
  for (const side of [own, other]) {
    await side.server();
    await side.stopServer();
  }
  for (let round = 0; round < rounds; round += 1) {
    own.log(`  round ${round + 1} of ${rounds} …`);
    // The first of a round may find the machine in another state than the second.
    for (const side of round % 2 === 0 ? [own, other] : [other, own])
      (side === own ? ours : theirs).push(await run(side));
  }
  for (const side of [own, other]) await side.stopServer();
  const figures = (ours[0] ?? []).flatMap(({ what, quantity }, index) =>
    quantity === undefined
      ? []
      : [comparedFigure(what, amountsOf(ours, index), amountsOf(theirs, index), quantity.write)],
  );
  return { figures, own: medianOf(ours) };
}

function amountsOf(rounds: readonly (readonly Metric[])[], index: number): number[] {
  return rounds.map((metrics) => metrics[index]?.quantity?.amount ?? NaN);
}

function comparedFigure(
  what: string,
  own: readonly number[],
  other: readonly number[],
  write: (amount: number) => string,
): ComparedFigure {
  const ratio = median(own.map((amount, round) => amount / (other[round] ?? NaN)));
  const repeated = other.slice(1).map((amount, round) => amount / (other[round] ?? NaN));
  const [low, high] = [quantile(repeated, 0.25), quantile(repeated, 0.75)];
  return {
    what,
    own: write(median(own)),
    other: write(median(other)),
    ratio: times(ratio),
    spread: `${low.toFixed(2)} to ${high.toFixed(2)}`,
    verdict: ratio < low ? 'less' : ratio > high ? 'more' : 'no difference',
  };
}

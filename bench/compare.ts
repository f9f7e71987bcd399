import { type Metric, times } from '@/bench/support/figure';
import { type BenchEnvironment } from '@/bench/support/environment';
import { median } from '@/bench/support/statistics';

const ROUNDS = 5;

/** A figure of two builds, each in its rounds. */
export interface ComparedFigure {
  what: string;
  own: string;
  other: string;
  ratio: string;
  /** The least and the greatest round of the other build, as ratios to its median. */
  spread: string;
  verdict: 'less' | 'more' | 'no difference';
}

/** Measures two builds in turns on one cluster, and compares the medians of their quantities. */
export async function compare(
  run: (environment: BenchEnvironment) => Promise<Metric[]>,
  own: BenchEnvironment,
  other: BenchEnvironment,
): Promise<ComparedFigure[]> {
  const rounds = new Map<BenchEnvironment, Metric[][]>([own, other].map((side) => [side, []]));
  own.log('  filling the archive of each build …');
  for (const side of [own, other]) {
    await side.server();
    await side.stopServer();
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    // The first of a round may find the machine in another state than the second.
    for (const side of round % 2 === 0 ? [own, other] : [other, own]) {
      own.log(`  round ${round + 1} of ${ROUNDS}, ${side === own ? 'this build' : 'the other build'} …`);
      rounds.get(side)?.push(await run(side));
      await side.stopServer();
    }
  }
  const first = rounds.get(own)?.[0] ?? [];
  return first.flatMap(({ what, quantity }, index) => {
    if (quantity === undefined) return [];
    const [ours, theirs] = [own, other].map((side) =>
      (rounds.get(side) ?? []).map((metrics) => metrics[index]?.quantity?.amount ?? NaN),
    );
    return [comparedFigure(what, ours ?? [], theirs ?? [], quantity.write)];
  });
}

function comparedFigure(
  what: string,
  own: readonly number[],
  other: readonly number[],
  write: (amount: number) => string,
): ComparedFigure {
  const [ours, theirs, least, greatest] = [
    median(own),
    median(other),
    Math.min(...other),
    Math.max(...other),
  ];
  const ratioOf = (amount: number) => (amount / theirs).toFixed(2);
  return {
    what,
    own: write(ours),
    other: write(theirs),
    ratio: times(ours / theirs),
    spread: `${ratioOf(least)} to ${ratioOf(greatest)}`,
    // Within its own rounds the other build differs from itself by as much.
    verdict: ours < least ? 'less' : ours > greatest ? 'more' : 'no difference',
  };
}

import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import type { AccessQuestion } from '@/server/cluster/access';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { ViewerAccess } from '@/server/cluster/viewer-access';
import { viewerNamed } from '@/server/shared/testing/viewers';

const list = { verb: 'list', group: 'apps', resource: 'deployments' };
const namespaces = new Set(Array.from({ length: 2_000 }, (_, index) => `team-${index}`));
const ana = viewerNamed('ana');
const ben = viewerNamed('ben');

/** With `tickMs`, timers fire at multiples of it only, as those of a busy process do. */
function setUp(decide: (question: AccessQuestion) => boolean | AppError, tickMs = 1) {
  const clock = new VirtualClock();
  const asked: { at: number; viewer: string; namespace: string | undefined }[] = [];
  const server = { decide };
  const access = new ViewerAccess(
    {
      async can({ name }, question) {
        asked.push({ at: clock.now(), viewer: name, namespace: question.namespace });
        await Promise.resolve();
        const allowed = server.decide(question);
        if (allowed instanceof AppError) throw allowed;
        return { allowed };
      },
    },
    {
      now: () => clock.now(),
      sleep: (ms, signal) => {
        const now = clock.now();
        return clock.sleep(Math.ceil((now + ms) / tickMs) * tickMs - now, signal);
      },
    },
    new AbortController().signal,
  );
  const listOf = async (viewer = ana, within: ReadonlySet<string> = namespaces) => {
    const answer = access.inNamespaces(viewer, list, within);
    const [{ includes, progress }] = await Promise.all([answer, clock.advance(250)]);
    return { allowed: [...within].filter(includes), progress };
  };
  return { clock, asked, server, listOf };
}

const isOfTeam = ({ namespace }: AccessQuestion) => namespace === 'team-7' || namespace === 'team-1999';

test('who has the right in the whole cluster has it everywhere, with one review', async () => {
  const { asked, listOf } = setUp(() => true);
  expect(await listOf()).toMatchObject({ allowed: { length: 2_000 }, progress: null });
  expect(asked).toHaveLength(1);
});

test('a few namespaces are all reviewed before the answer', async () => {
  const { listOf } = setUp(isOfTeam);
  const few = new Set(['team-6', 'team-7']);
  expect(await listOf(ana, few)).toEqual({ allowed: ['team-7'], progress: null });
});

test('of many, an answer has what is reviewed in a moment and tells how far it is, until it is complete', async () => {
  const { clock, listOf } = setUp(isOfTeam);
  const first = await listOf();
  expect(first.allowed).toEqual(['team-7']);
  expect(first.progress?.of).toBe(2_000);
  expect(first.progress?.done).toBeGreaterThan(20);
  await clock.advance(10_000);
  expect((await listOf()).progress?.done).toBeGreaterThan(first.progress?.done ?? 0);
  await clock.advance(13_000);
  expect(await listOf()).toEqual({ allowed: ['team-7', 'team-1999'], progress: null });
});

test('2,000 namespaces are reviewed within 25 seconds although the process is busy', async () => {
  const { clock, listOf } = setUp(isOfTeam, 50);
  await listOf();
  await clock.advance(24_500);
  expect((await listOf()).progress).toBeNull();
});

test.each([1, 50])(
  'a cluster is sent no more than 100 reviews a second, which viewers share fairly, with timers every %i ms',
  async (tickMs) => {
    const { clock, asked, listOf } = setUp(isOfTeam, tickMs);
    await listOf(ana);
    await listOf(ben);
    await clock.advance(10_000);
    const inNamespaces = asked.filter(({ namespace }) => namespace !== undefined);
    for (const { at } of inNamespaces)
      expect(
        inNamespaces.filter((other) => other.at >= at && other.at < at + 1_000).length,
      ).toBeLessThanOrEqual(100);
    const bensShare = inNamespaces.filter(({ viewer }) => viewer === 'ben').length;
    expect(bensShare).toBeGreaterThan(inNamespaces.length / 3);
  },
);

test('a right that ends is gone after a minute, and a refusal is confirmed without a wait', async () => {
  const { clock, server, listOf } = setUp(isOfTeam);
  await listOf();
  await clock.advance(23_000);
  expect((await listOf()).allowed).toEqual(['team-7', 'team-1999']);
  server.decide = ({ namespace }) => namespace === 'team-1999';
  await clock.advance(60_000);
  expect(await listOf()).toEqual({ allowed: ['team-1999'], progress: null });
});

test('nothing is shown while the API server gives no answer', async () => {
  const { listOf } = setUp(() => new AppError('cluster_unreachable', 'gone'));
  await expect(listOf()).rejects.toMatchObject({ code: 'cluster_unreachable' });
});

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { minutesAgo, recordsNowMs, sampleRecord } from '@/test/record-samples';
import { TestArchive } from '@/server/archive/testing/test-archive';
import { commentRequestSchema, reviewRequestSchema } from '@/lib/api/review';
import { recordListQuerySchema, recordListSchema, recordSchema } from '@/lib/api/records';
import { reportQuerySchema, reportSchema } from '@/lib/api/reports';
import type { RolloutRecord } from '@/lib/api/record';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { ReadContext } from '@/server/views/context';
import { listRecords, readRecord, readRecordAsRolloutHistory } from '@/server/reads/records';
import { readReport, reportAnswer } from '@/server/reads/report';
import { addComment, editComment, saveVerdict, saveVerdicts, pinRecord } from '@/server/reviews/reviews';
import { AppError } from '@/lib/errors';
import type { ReviewEntry } from '@/lib/api/activity-event';
import { archiveContext, oneCluster } from '@/server/reads/testing/one-cluster';
import type { Viewer } from '@/server/shared/viewer';
import { processViewer, viewerNamed } from '@/server/shared/testing/viewers';

const ana = viewerNamed('ana');
const ben = viewerNamed('ben');

let archive: TestArchive;
let cluster: FakeCluster;
let context: ReadContext;

beforeEach(async () => {
  archive = await TestArchive.open();
  cluster = new FakeCluster();
  context = archiveContext(cluster, archive, recordsNowMs);
});

const query = (members: object = {}) => recordListQuerySchema.parse(members);
const verdict = (members: object) => reviewRequestSchema.parse({ verdict: 'good', ifVersion: 0, ...members });
const remark = (body: string, members: object = {}) => commentRequestSchema.parse({ body, ...members });

function inNamespace(namespace: string, id: string, given: Partial<RolloutRecord> = {}): RolloutRecord {
  const record = sampleRecord(id, given);
  return { ...record, workload: { ...record.workload, namespace, uid: `uid-${namespace}` } };
}

/** The viewer can read shop, and nothing else. */
function onlyShop() {
  cluster.answerAccess = ({ namespace }) => ({ allowed: namespace === 'shop' });
}

describe('records', () => {
  test('have the shape that the API promises', async () => {
    await archive.put([sampleRecord('r1')]);
    const list = await listRecords(oneCluster(context, ana), query());
    expect(recordListSchema.parse(list)).toEqual(list);
    const record = await readRecord(oneCluster(context, ana), 'r1');
    expect(recordSchema.parse(record)).toEqual(record);
    expect(record).toMatchObject({ diff: null, review: { version: 0, verdict: null, comments: [] } });
  });

  test('return every template by a keyed hash, those of the removed pods too', async () => {
    const record = sampleRecord('r1');
    const [step] = record.steps;
    if (step === undefined) throw new Error('the sample has no step');
    const removed = [{ name: 'cart-4-a', uid: 'u4', hash: record.from?.hash ?? null, goneAt: null }];
    await archive.put([{ ...record, steps: [{ ...step, removed }] }]);
    const answer = await readRecord(oneCluster(context, ana), 'r1');
    expect(answer).toMatchObject({ from: { hash: answer.steps[0]?.removed[0]?.hash } });
    expect(JSON.stringify(answer)).not.toContain('hash-4');
  });

  test("of a namespace that the viewer can't read are absent, however many lie between", async () => {
    onlyShop();
    await archive.put([
      inNamespace('shop', 'r5'),
      inNamespace('vault', 'r4'),
      inNamespace('vault', 'r3'),
      inNamespace('shop', 'r2'),
      inNamespace('shop', 'r1'),
    ]);
    const first = await listRecords(oneCluster(context, ana), query({ limit: 2 }));
    expect(first.items.map(({ id }) => id)).toEqual(['r5', 'r2']);
    const second = await listRecords(oneCluster(context, ana), query({ limit: 2, cursor: first.nextCursor }));
    expect(second).toMatchObject({ items: [{ id: 'r1' }], nextCursor: null });
    await expect(readRecord(oneCluster(context, ana), 'r3')).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('hide what the pages of the workload would not show the viewer, wherever a record is answered', async () => {
    const pod = { name: 'cart-6-abc', uid: 'p6', ip: '10.9.8.7', node: 'node-7', readyAt: null, restarts: 0 };
    const removed = { name: 'cart-5-old', uid: 'p5', hash: null, goneAt: null };
    const record = sampleRecord('r1', {
      summary: 'image 5.0.0 → 6.0.0-secret',
      images: [{ container: 'cart', image: 'registry.example/cart:6.0.0-secret' }],
      events: [
        { at: minutesAgo(3), reason: 'BackOff', message: 'restarting', object: 'Pod cart-6-evt', count: 2 },
      ],
    });
    const [step] = record.steps;
    if (step === undefined) throw new Error('the sample has no step');
    await archive.put([{ ...record, steps: [{ ...step, pods: [pod], removed: [removed], more: 2 }] }]);
    const parts = {
      pods: ['cart-6-abc', '10.9.8.7', 'node-7', 'cart-5-old'],
      events: ['cart-6-evt', 'BackOff'],
      templates: ['6.0.0-secret'],
    };
    const rights = { pods: 'pods', events: 'events', templates: 'replicasets' };
    for (const [part, texts] of Object.entries(parts)) {
      cluster.answerAccess = ({ resource }) => ({
        allowed: resource !== rights[part as keyof typeof rights],
      });
      const fleet = oneCluster(context, viewerNamed(`not-${part}`));
      const answers = await Promise.all([
        readRecord(fleet, 'r1'),
        readRecordAsRolloutHistory(fleet, 'r1'),
        listRecords(fleet, query()),
        readReport(fleet, reportQuerySchema.parse({ rows: '1' })),
        pinRecord(fleet, 'r1', true),
      ]);
      for (const answer of answers)
        for (const text of texts) expect(JSON.stringify(answer)).not.toContain(text);
      expect(answers[0].hidden).toEqual([part]);
      if (part === 'pods') expect(answers[0].steps[0]).toMatchObject({ more: 3, moreRemoved: 1 });
      const shown = Object.entries(parts).filter(([name]) => name !== part);
      for (const text of shown.flatMap(([, each]) => each))
        expect(JSON.stringify(answers[0])).toContain(text);
    }
  });

  test('of another cluster are absent, and the error for one requested by its id names its cluster', async () => {
    const own = sampleRecord('r1');
    await archive.put([own, { ...own, id: 'r2', workload: { ...own.workload, cluster: 'other' } }]);
    expect((await listRecords(oneCluster(context, ana), query())).items.map(({ id }) => id)).toEqual(['r1']);
    const asked = [
      () => readRecord(oneCluster(context, ana), 'r2'),
      () => readRecordAsRolloutHistory(oneCluster(context, ana), 'r2'),
      () => saveVerdict(oneCluster(context, ana), 'r2', verdict({})),
      () => addComment(oneCluster(context, ana), 'r2', remark('fine')),
      () => pinRecord(oneCluster(context, ana), 'r2', true),
    ];
    for (const ask of asked)
      await expect(ask()).rejects.toMatchObject({ code: 'not_found', details: { cluster: 'other' } });
    const report = await readReport(oneCluster(context, ana), reportQuerySchema.parse({ rows: '1' }));
    expect([report.total.rollouts, report.rows?.map(({ id }) => id)]).toEqual([1, ['r1']]);
  });

  test('are neither listed nor reported as none until it is known which cluster is connected', async () => {
    await archive.put([sampleRecord('r1')]);
    cluster.identity.isGuessed = true;
    await expect(listRecords(oneCluster(context, ana), query())).rejects.toMatchObject({
      code: 'cluster_unreachable',
    });
    await expect(readRecord(oneCluster(context, ana), 'r1')).rejects.toMatchObject({
      code: 'cluster_unreachable',
    });
  });

  test('never show a credential or an unkeyed hash', async () => {
    const cause = 'rotate, password=hunter2hunter2';
    await archive.put([
      sampleRecord('r1', {
        cause,
        events: [{ at: minutesAgo(61), reason: 'Failed', message: cause, object: 'Pod/a', count: 1 }],
        spans: [{ kind: 'stuck', from: minutesAgo(61), to: null, reason: cause }],
        samples: [{ at: minutesAgo(61), byRevision: [['hash-5', 3, 3]] }],
      }),
    ]);
    await archive.putBodies({
      'hash-4': template('1.4.0', 'swordfish-one'),
      'hash-5': template('1.5.0', 'swordfish-two'),
    });
    await archive.reviews.addComment({
      recordId: 'r1',
      by: 'ana',
      at: minutesAgo(1),
      body: cause,
      path: null,
      answers: null,
    });
    const record = await readRecord(oneCluster(context, ana), 'r1');
    expect(record.diff?.changes.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['image', 'env DB_PASSWORD']),
    );
    const text = JSON.stringify(record);
    expect(text).not.toMatch(/hunter2|swordfish|hash-[45]/);
    expect(record.samples[0]?.byRevision[0]?.[0]).toBe(record.to.hash);
  });

  test('are returned in the shape of RolloutHistory, masked too', async () => {
    await archive.put([sampleRecord('r1')]);
    await archive.putBodies({ 'hash-5': template('1.5.0', 'swordfish-two') });
    const history = await readRecordAsRolloutHistory(oneCluster(context, ana), 'r1');
    expect(history).toMatchObject({ kind: 'RolloutHistory', spec: { workload: { name: 'cart' } } });
    const text = JSON.stringify(history);
    expect(text).toContain('shop/cart:1.5.0');
    expect(text).not.toContain('swordfish');
  });

  test('show no templates without the right to the objects that carry them', async () => {
    await archive.put([sampleRecord('r1')]);
    await archive.putBodies({ 'hash-4': template('1.4.0', 'a'), 'hash-5': template('1.5.0', 'b') });
    cluster.answerAccess = ({ resource }) => ({ allowed: resource === 'deployments' });
    const { diff, diffNote } = await readRecord(oneCluster(context, ana), 'r1');
    expect(diff).toBeNull();
    expect(diffNote).toContain('ana is not allowed to read');
  });

  test('are filtered by the query', async () => {
    const search = vi.spyOn(archive.rollouts, 'search');
    await listRecords(
      oneCluster(context, ana),
      query({ q: 'Cart  OOM', namespace: 'a,b', outcome: 'failed,open', since: '1h', reviewed: 'false' }),
    );
    expect(search.mock.calls[0]?.[0]).toMatchObject({
      words: ['cart', 'oom'],
      namespaces: ['a', 'b'],
      outcomes: ['failed', 'open'],
      sinceMs: recordsNowMs - 3_600_000,
      untilMs: null,
      reviewed: false,
    });
    await expect(listRecords(oneCluster(context, ana), query({ outcome: 'lost' }))).rejects.toMatchObject({
      code: 'bad_request',
    });
    await expect(listRecords(oneCluster(context, ana), query({ since: 'monday' }))).rejects.toMatchObject({
      code: 'bad_request',
    });
  });

  test('state why there are none where nothing is recorded', async () => {
    context.archive = null;
    await expect(listRecords(oneCluster(context, ana), query())).rejects.toMatchObject({
      code: 'archive_unavailable',
      message: expect.stringContaining('Nothing is recorded') as string,
    });
  });

  test('with an unknown id are not found', async () => {
    await expect(readRecord(oneCluster(context, ana), 'r0')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a review', () => {
  beforeEach(async () => {
    await archive.put([sampleRecord('r1'), inNamespace('vault', 'r2')]);
  });

  test('is by the viewer, and keeps the earlier verdicts', async () => {
    await saveVerdict(oneCluster(context, ana), 'r1', verdict({ comment: 'went **well**' }));
    const followUp = { person: 'sara', due: '2026-09-22' };
    const given = verdict({ verdict: 'followUp', followUp, ifVersion: 1 });
    const { review } = await saveVerdict(oneCluster(context, ben), 'r1', given);
    expect(review).toMatchObject({
      version: 2,
      verdict: 'followUp',
      by: 'ben',
      followUp,
      history: [{ verdict: 'good', by: 'ana' }],
      comments: [{ body: 'went **well**', by: 'ana' }],
    });
  });

  test("is rejected with the other viewer's verdict where that came first, and leaves no comment", async () => {
    await saveVerdict(oneCluster(context, ana), 'r1', verdict({}));
    const late = saveVerdict(oneCluster(context, ben), 'r1', verdict({ verdict: 'bad', comment: 'no' }));
    await expect(late).rejects.toMatchObject({
      code: 'conflict',
      details: { review: { version: 1, verdict: 'good', by: 'ana', comments: [] } },
    });
    expect(await archive.reviews.comments('r1')).toEqual([]);
  });

  test('of several records is saved for each by itself, with the reason where it was not', async () => {
    onlyShop();
    await archive.put([sampleRecord('r3'), sampleRecord('r4')]);
    await saveVerdict(oneCluster(context, ben), 'r3', verdict({ verdict: 'bad' }));
    const { items } = await saveVerdicts(oneCluster(context, ana), {
      ...{ verdict: 'good', comment: '', followUp: null },
      records: ['r1', 'r2', 'r3', 'r4'].map((id) => ({ id, ifVersion: 0 })),
    });
    expect(items.map(({ id, error, review }) => [id, error === null, review?.verdict])).toEqual([
      ['r1', true, 'good'],
      ['r2', false, undefined],
      ['r3', false, 'bad'],
      ['r4', true, 'good'],
    ]);
    expect(items[2]?.error).toContain('ben set the verdict to Bad');
  });

  test("of a record that the viewer can't read is rejected", async () => {
    onlyShop();
    const attempts = [
      saveVerdict(oneCluster(context, ana), 'r2', verdict({})),
      addComment(oneCluster(context, ana), 'r2', remark('hello')),
      pinRecord(oneCluster(context, ana), 'r2', true),
    ];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: 'forbidden' });
    expect((await archive.rollouts.byId('r2'))?.record.pinned).toBe(false);
  });

  test.each([
    ['with a right to the review itself', 'create reviews.shiplog.dev', 'verdict'],
    ['with a right to the comment itself', 'create comments.shiplog.dev', 'comment'],
    ['with a right to the pin itself', 'create pins.shiplog.dev', 'pin'],
    ['with a right to change the workload', 'patch deployments.apps', 'verdict comment pin'],
    ['with none of these rights', '', ''],
  ])('is written %s', async (_, right, expected) => {
    cluster.answerAccess = ({ verb, resource, group }) => ({
      allowed: ['get', 'list'].includes(verb) || `${verb} ${resource}.${group}` === right,
    });
    const attemptsOf = (viewer: Viewer): Record<string, () => Promise<unknown>> => ({
      verdict: () => saveVerdict(oneCluster(context, viewer), 'r1', verdict({})),
      comment: () => addComment(oneCluster(context, viewer), 'r1', remark('hello')),
      pin: () => pinRecord(oneCluster(context, viewer), 'r1', true),
    });
    for (const [name, attempt] of Object.entries(attemptsOf(ana))) {
      if (expected.includes(name)) await attempt();
      else await expect(attempt()).rejects.toMatchObject({ code: 'forbidden' });
    }
    if (expected === '')
      for (const attempt of Object.values(attemptsOf(processViewer('me')))) await attempt();
  });

  test('takes a comment on one change, and a reply to a comment of the same record only', async () => {
    const first = await addComment(oneCluster(context, ana), 'r1', remark('why?', { path: 'spec.x' }));
    const second = await addComment(oneCluster(context, ben), 'r1', remark('so', { answers: first.id }));
    expect(second).toMatchObject({ answers: first.id, by: 'ben' });
    const stray = addComment(oneCluster(context, ben), 'r2', remark('so', { answers: first.id }));
    await expect(stray).rejects.toMatchObject({ code: 'not_found' });
  });

  test('mentions those whom the archive has seen, and is found by them until an edit', async () => {
    await archive.people.saw(ben, recordsNowMs);
    await archive.people.saw({ id: 'user:lee', name: 'Ben Lee' }, recordsNowMs);
    const { id, mentions } = await addComment(
      oneCluster(context, ana),
      'r1',
      remark('@Ben and @nobody-here, mail ben@ben'),
    );
    expect(mentions).toEqual(['ben']);
    const listed = async (viewer: Viewer) =>
      (await listRecords(oneCluster(context, viewer), query({ mentions: 'me' }))).items.map(
        (item) => item.id,
      );
    expect([await listed(ben), await listed(ana)]).toEqual([['r1'], []]);
    const edited = await editComment(oneCluster(context, ana), 'r1', id, { body: '@ben lee: see' });
    expect(edited.mentions).toEqual(['Ben Lee']);
    expect(await listed(ben)).toEqual([]);
    const anonymous = { ...viewerNamed('user:lee'), readOnly: 'anonymous' } as const;
    expect(await listed(anonymous)).toEqual([]);
    await saveVerdict(oneCluster(context, ana), 'r1', verdict({ comment: '@ben' }));
    expect(await listed(ben)).toEqual(['r1']);
  });

  test('comment is rewritten by its author only, and the earlier text stays', async () => {
    const { id } = await addComment(oneCluster(context, ana), 'r1', remark('first'));
    await expect(editComment(oneCluster(context, ben), 'r1', id, { body: 'mine' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await editComment(oneCluster(context, ana), 'r1', id, { body: 'second' })).toMatchObject({
      body: 'second',
      edits: [{ body: 'first', by: 'ana' }],
    });
  });

  test('comment is not rewritten by another person of the same name', async () => {
    const { id, byId } = await addComment(oneCluster(context, ana), 'r1', remark('first'));
    expect(byId).toBe('ana');
    const namesake = editComment(oneCluster(context, { ...ben, name: 'ana' }), 'r1', id, { body: 'mine' });
    await expect(namesake).rejects.toMatchObject({ code: 'forbidden' });
    const renamed = await editComment(oneCluster(context, { ...ana, name: 'Ana M.' }), 'r1', id, {
      body: 'second',
    });
    expect(renamed).toMatchObject({ body: 'second', edits: [{ by: 'Ana M.' }] });
  });

  test('comment of an earlier version, which stored no id, is rewritten by the viewer of the same name', async () => {
    const old = { recordId: 'r1', by: 'ana', at: minutesAgo(3), body: 'first', path: null, answers: null };
    const { id } = await archive.reviews.addComment(old);
    const other = editComment(oneCluster(context, ben), 'r1', id, { body: 'mine' });
    await expect(other).rejects.toMatchObject({ code: 'forbidden' });
    const edited = await editComment(oneCluster(context, { ...ana, id: 'user:ana' }), 'r1', id, {
      body: 'second',
    });
    expect(edited).toMatchObject({ body: 'second' });
  });

  test('has an audit line for each verdict, comment, edit and pin, with the viewer, before it is written', async () => {
    const lines: ReviewEntry[] = [];
    context.audit = { note: (line) => lines.push(line as ReviewEntry) };
    await saveVerdict(oneCluster(context, ana), 'r1', verdict({ comment: 'secret=hunter2hunter2' }));
    const { id } = await addComment(oneCluster(context, ben), 'r1', remark('hello'));
    await editComment(oneCluster(context, ben), 'r1', id, { body: 'hello again' });
    await pinRecord(oneCluster(context, ana), 'r1', true);
    await pinRecord(oneCluster(context, ana), 'r1', false);
    await expect(saveVerdict(oneCluster(context, ben), 'r1', verdict({}))).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(lines.map(({ event, by, comment, code }) => [event, by.id, comment, code])).toEqual([
      ['verdict', 'ana', null, null],
      ['comment', 'ben', null, null],
      ['edit', 'ben', id, null],
      ['pin', 'ana', null, null],
      ['unpin', 'ana', null, null],
      ['verdict', 'ben', null, null],
      ['verdict', 'ben', null, 'conflict'],
    ]);
    expect(lines[0]).toMatchObject({
      by: { id: 'ana', name: 'ana' },
      record: 'r1',
      workload: { namespace: 'shop', name: 'cart' },
      verdict: 'good',
    });
    expect(JSON.stringify(lines)).not.toMatch(/hunter2|hello/);
  });

  test('is not written where the audit cannot write its line', async () => {
    context.audit = {
      note: () => {
        throw new AppError('internal', 'The disk is full.');
      },
    };
    const attempts = [
      saveVerdict(oneCluster(context, ana), 'r1', verdict({})),
      addComment(oneCluster(context, ana), 'r1', remark('hello')),
      pinRecord(oneCluster(context, ana), 'r1', true),
    ];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: 'internal' });
    expect(await readRecord(oneCluster(context, ana), 'r1')).toMatchObject({
      pinned: false,
      review: { version: 0, comments: [] },
    });
  });

  test('pins a record', async () => {
    expect(await pinRecord(oneCluster(context, ana), 'r1', true)).toMatchObject({ id: 'r1', pinned: true });
  });

  test.each([
    { body: '' },
    { body: ' \n' },
    { body: 'x'.repeat(10_001) },
    { body: 'bell\u0007' },
    { body: 'turned \u202e round' },
    { body: 'half \ud800' },
    { body: 'half \udc00' },
    { body: 'x', by: 'somebody else' },
    { body: 'x', path: 'nul\u0000' },
  ])('rejects the comment %j', (body) => {
    expect(commentRequestSchema.safeParse(body).success).toBe(false);
  });

  test.each([
    { verdict: 'great' },
    { ifVersion: -1 },
    { followUp: { person: 'sara', due: '2026-09-22' } },
    { verdict: 'followUp', followUp: { person: 'sara', due: '2026-02-30' } },
    { verdict: 'followUp', followUp: { person: '', due: '2026-09-22' } },
    { verdict: 'followUp', followUp: { person: ' ', due: '2026-09-22' } },
    { verdict: 'followUp', followUp: null },
    { verdict: 'followUp' },
  ])('rejects the verdict %j', (members) => {
    const request = { verdict: 'good', ifVersion: 0, ...members };
    expect(reviewRequestSchema.safeParse(request).success).toBe(false);
  });
});

describe('a report', () => {
  const ask = (members: object = {}) =>
    readReport(oneCluster(context, ana), reportQuerySchema.parse(members));

  test('counts what the viewer can see, and compares with the period before', async () => {
    onlyShop();
    await archive.put([
      inNamespace('shop', 'r1', { outcome: 'rolledBack' }),
      inNamespace('shop', 'r2', { startedAt: minutesAgo(50), endedAt: minutesAgo(42) }),
      inNamespace('vault', 'r3'),
      inNamespace('shop', 'r4', { startedAt: minutesAgo(8 * 24 * 60), endedAt: minutesAgo(8 * 24 * 60 - 1) }),
    ]);
    const report = await ask();
    expect(reportSchema.parse(report)).toEqual(report);
    expect(report.total).toMatchObject({ rollouts: 2, changeFailureRate: 0.5, timeToRestoreMs: 20 * 60_000 });
    expect(report.previous.rollouts).toBe(1);
    expect(report.groups).toMatchObject([{ name: 'shop', figures: { rollouts: 2 } }]);
    expect(report.failures).toMatchObject([{ recordId: 'r1', name: 'cart' }]);
    expect((await ask({ by: 'team' })).groups[0]?.name).toBe('storefront');
  });

  test('as a file contains no formula, and nothing that ends a cell of a table', async () => {
    await archive.put([sampleRecord('r1', { cause: '=HYPERLINK("http://x"),1', summary: 'a | b <img>' })]);
    const csv = reportAnswer(await ask({ format: 'csv' }), 'csv', undefined) as Response;
    expect(csv.headers.get('content-disposition')).toContain('rollouts-2026-09-10-2026-09-17.csv');
    expect(await csv.text()).toContain(`"'=HYPERLINK(""http://x""),1"`);
    const markdown = await (reportAnswer(await ask({ format: 'md' }), 'md', undefined) as Response).text();
    expect(markdown).toContain(String.raw`a \| b \<img\>`);
  });

  test.each([
    { from: '2026-09-17', to: '2026-09-16' },
    { from: '400d' },
    { revertedWithin: 'soon' },
    { to: 'x' },
  ])('over %j is rejected', async (members) => {
    await expect(ask(members)).rejects.toMatchObject({ code: 'bad_request' });
  });
});

function template(tag: string, password: string) {
  return {
    metadata: { labels: { app: 'cart' } },
    spec: {
      containers: [
        {
          name: 'app',
          image: `registry.example/shop/cart:${tag}`,
          env: [{ name: 'DB_PASSWORD', value: password }],
        },
      ],
    },
  };
}

// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { RecordView } from '@/components/records/record-view';
import type { CommentItem } from '@/lib/api/review';
import type { RecordAnswer } from '@/lib/api/records';
import { recordKey } from '@/components/queries/records';
import { minutesAgo, sampleRecordAnswer } from '@/test/record-samples';
import { stubResizeObserver } from '@/test/resize-observer';
import { renderWith } from '@/test/render';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

vi.mock('next/navigation', () => import('@/test/router'));

function show(record: RecordAnswer) {
  stubResizeObserver();
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  const client = new QueryClient();
  client.setQueryData(recordKey(record.id), record);
  return renderWith(client, <RecordView id={record.id} isPage verdict={() => null} />);
}

const remark: CommentItem = {
  id: 'c1',
  recordId: 'r1',
  by: 'ana',
  at: minutesAgo(5),
  body: '<img src=x onerror=alert(1)>\n[click](javascript:alert(1))',
  path: null,
  answers: null,
  edits: [],
  mentions: [],
};

describe('a record', () => {
  test('opens with a summary, and says why its templates are not shown', () => {
    show(sampleRecordAnswer());
    expect(screen.getByRole('heading', { level: 1 }).textContent).toContain(
      'cart: revision 4 → 5 completed in 2 min',
    );
    expect(screen.getByText(/The templates have expired/)).toBeDefined();
  });

  test('of a rollback that its owner undid says so, and what to do first next time', () => {
    const owner = {
      tool: 'Argo CD',
      noun: 'application',
      name: 'shop',
      evidence: 'annotation',
      when: 'seconds',
    };
    const note = 'Argo CD reverts this within seconds (self-heal is on).';
    const owners = [{ ...owner, note, advice: 'Turn auto-sync off first.' }];
    show(sampleRecordAnswer({ outcome: 'undone', undoneBy: 'argocd-controller', owners }));
    expect(screen.getByRole('heading', { level: 1 }).textContent).toContain(
      'reverted by argocd-controller after 2 min',
    );
    expect(screen.getByText('argocd-controller put the template before back.')).toBeDefined();
    expect(screen.getByText('Turn auto-sync off first.')).toBeDefined();
    expect(screen.getByText(note)).toBeDefined();
  });

  test('of a removed cluster says why nothing can be added to it, and offers nothing', async () => {
    const refusal = 'The cluster of this record is no longer configured.';
    show(sampleRecordAnswer({ refusals: { reviews: refusal, comments: refusal, pins: refusal } }));
    const user = userEvent.setup();
    for (const name of ['Pin', 'Comment']) {
      const button = screen.getByRole('button', { name });
      expect([button.getAttribute('aria-disabled'), button.title]).toEqual(['true', refusal]);
      await user.click(button);
    }
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  test('shows markup of a comment as plain text', async () => {
    const record = sampleRecordAnswer();
    const { container } = show({ ...record, review: { ...record.review, comments: [remark] } });
    expect(await screen.findByText(/<img src=x/)).toBeDefined();
    expect(container.querySelector('img, a[href^="javascript"]')).toBeNull();
  });

  test('shows the comments on a change also where the diff has no line for it', async () => {
    const record = sampleRecordAnswer({ diff: null });
    const stray = { ...remark, body: 'too little memory', path: 'spec.containers[app].resources' };
    show({ ...record, review: { ...record.review, comments: [stray] } });
    const discussion = within(screen.getByRole('region', { name: 'Discussion' }));
    expect(await discussion.findByText('too little memory')).toBeDefined();
    expect(discussion.getByText('spec.containers[app].resources')).toBeDefined();
    expect(discussion.getByText('1 comment, 1 on changes')).toBeDefined();
  });

  test('opens a step to the pods that it created', async () => {
    show(sampleRecordAnswer());
    await userEvent.click(screen.getByRole('button', { name: /wave 1/ }));
    const row = screen.getByRole('rowheader', { name: 'cart-5-a' }).closest('tr');
    expect(within(row as HTMLElement).getByText('node-1')).toBeDefined();
  });

  test('lists the timeline events in the order of time, the end last', () => {
    show(
      sampleRecordAnswer({
        events: [{ at: minutesAgo(61), reason: 'BackOff', message: 'restarting', object: 'Pod/a', count: 3 }],
        spans: [
          {
            kind: 'stuck',
            from: minutesAgo(61.5),
            to: minutesAgo(60.5),
            reason: 'The image cannot be pulled',
            reasonAt: minutesAgo(61.5),
          },
        ],
      }),
    );
    const lines = within(screen.getByRole('region', { name: 'Events' }))
      .getAllByRole('listitem')
      .map((line) => line.textContent);
    expect(lines).toHaveLength(5);
    expect(lines.map((line) => /started|pulled|BackOff|No longer|completed/.exec(line)?.[0])).toEqual([
      'started',
      'pulled',
      'BackOff',
      'No longer',
      'completed',
    ]);
  });

  test('names the controller, the plan of each step, and the pods that belong to none', () => {
    const pod = {
      name: 'cart-5-z',
      uid: 'z',
      ip: null,
      node: 'node-3',
      readyAt: minutesAgo(61),
      restarts: 0,
    };
    const step = { name: '', kind: 'canary' as const, startedAt: null, endedAt: null, pods: [], removed: [] };
    show(
      sampleRecordAnswer({
        steps: [
          { ...step, index: 1, name: 'Step 1', planned: '1 of 3 pods', state: 'completed' },
          { ...step, index: 2, name: 'Step 2', planned: '2 of 3 pods', state: 'skipped' },
        ],
        progressiveRollout: {
          ...{ system: 'openkruise', resource: 'rollouts.rollouts.kruise.io', name: 'cart-ro', uid: 'ro' },
          ...{ id: 'rel-1', style: 'blueGreen', planEditedAt: null, result: 'rolledBack' },
          routes: [{ kind: 'Ingress', name: 'cart-in' }],
          jumps: [{ from: 1, to: 3, at: null }],
          plan: [
            { index: 1, replicas: '1', traffic: { kind: 'weight', percent: 5 }, pause: { kind: 'approval' } },
          ],
          unassigned: [pod],
        },
        rolloutHistories: [{ namespace: 'shop', name: 'cart-abc' }],
      }),
    );
    const link = screen.getByRole<HTMLAnchorElement>('link', { name: 'cart-ro' });
    expect(link.pathname).toBe('/rollouts/rollouts.rollouts.kruise.io/shop/cart-ro');
    expect(screen.getByRole('link', { name: 'cart-abc' })).toBeTruthy();
    for (const text of [
      'Blue-green, rel-1',
      'Rolled back',
      'Ingress cart-in',
      'Step 1 to step 3',
      '5% of traffic, then approval',
      'cart-5-z',
    ])
      expect(screen.getByText(text)).toBeTruthy();
    expect(screen.getAllByText('Start not observed')).toHaveLength(1);
  });

  test('links the rollouts before and after it', () => {
    show(sampleRecordAnswer({ neighbours: { previous: 'r0', next: null } }));
    const links = within(screen.getByRole('navigation', { name: 'This record' })).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual(['/records/r0']);
  });

  test('shows answers below what they answer, and the edit history on request', async () => {
    const record = sampleRecordAnswer();
    const answer = { ...remark, id: 'c2', by: 'ben', body: 'so', answers: 'c1' };
    const edited = { ...remark, body: 'now', edits: [{ at: minutesAgo(3), by: 'ana', body: 'before' }] };
    show({ ...record, review: { ...record.review, comments: [edited, answer] } });
    const first = screen.getByRole('article', { name: 'Comment by ana' });
    expect(within(first).getByRole('article', { name: 'Comment by ben' }).textContent).toContain('so');
    expect(screen.queryByText('before')).toBeNull();
    await userEvent.click(within(first).getByRole('button', { name: 'Edited, show history' }));
    expect(screen.getByText('before')).toBeDefined();
  });
});

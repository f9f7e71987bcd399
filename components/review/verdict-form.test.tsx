// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultDueDay } from '@/components/review/verdict-draft';
import { Discussion } from '@/components/records/discussion';
import { VerdictForm } from '@/components/review/verdict-form';
import type { ClusterList } from '@/lib/api/cluster';
import { clustersQuery } from '@/components/queries/cluster';
import type { ReviewItem } from '@/lib/api/review';
import { minutesAgo, sampleRecordAnswer } from '@/test/record-samples';
import { renderWith } from '@/test/render';

const record = sampleRecordAnswer();
let sent: { path: string; body: unknown }[];
let answers: Response[];

beforeEach(() => {
  sent = [];
  answers = [];
  vi.stubGlobal('fetch', (path: string, { body }: { body?: string }) => {
    // The people of open follow-ups are suggested, and those who have signed in.
    if (path.startsWith('/api/people'))
      return Promise.resolve(Response.json({ items: [{ id: 'u1', name: 'sara' }] }));
    if (path === '/api/review/follow-ups') return Promise.resolve(Response.json({ items: [] }));
    sent.push({ path, body: JSON.parse(body ?? 'null') as unknown });
    return Promise.resolve(answers.shift() ?? Response.error());
  });
});
afterEach(() => {
  cleanup();
  localStorage.clear();
  vi.unstubAllGlobals();
});

function review(given: Partial<ReviewItem>): ReviewItem {
  return { ...record.review, at: minutesAgo(1), ...given };
}

function show(shown = record) {
  const onDone = vi.fn();
  renderWith(new QueryClient(), <VerdictForm record={shown} saveLabel="Save and next" onDone={onDone} />);
  return { onDone, user: userEvent.setup() };
}

describe('a verdict', () => {
  test('can be read but not given where Shiplog is read-only', async () => {
    const client = new QueryClient();
    client.setQueryData(clustersQuery().queryKey, { readOnly: true } as ClusterList);
    const shown = { ...record, review: review({ version: 1, verdict: 'good', by: 'ana' }) };
    renderWith(
      client,
      <>
        <VerdictForm record={shown} saveLabel="Save and next" />
        <Discussion record={shown} path={null} />
      </>,
    );
    expect(screen.getByRole('region', { name: 'Verdict' }).textContent).toMatch(/by ana.*read-only/);
    expect(screen.queryByRole('button')).toBeNull();
    await userEvent.setup().keyboard('g');
    expect(sent).toEqual([]);
  });

  test('can be read but not given without the permission, and the reason is there', async () => {
    const refusals = {
      reviews: 'ana is not allowed to create reviews.',
      comments: 'No comments.',
      pins: null,
    };
    const shown = { ...record, review: review({ version: 1, verdict: 'good', by: 'ben' }), refusals };
    const { user } = show(shown);
    expect(screen.getByRole('region', { name: 'Verdict' }).textContent).toMatch(/by ben.*not allowed/);
    await user.keyboard('g');
    expect(screen.queryByRole('textbox')).toBeNull();
    cleanup();
    renderWith(new QueryClient(), <Discussion record={shown} path={null} />);
    const button = screen.getByRole('button', { name: 'Comment' });
    expect([button.getAttribute('aria-disabled'), button.title]).toEqual(['true', 'No comments.']);
    await user.click(button);
    expect(screen.queryByRole('textbox')).toBeNull();
    expect(sent).toEqual([]);
  });

  test('is chosen by a key, stored only when saved, and followed by the next record', async () => {
    const { onDone, user } = show();
    answers.push(Response.json({ review: review({ version: 1, verdict: 'good', by: 'ana' }) }));
    await user.keyboard('g');
    expect(sent).toEqual([]);
    await user.type(screen.getByLabelText('Comment'), 'went well');
    await user.keyboard('{Control>}{Enter}{/Control}');
    expect(sent).toEqual([
      {
        path: '/api/records/r1/review',
        body: { verdict: 'good', comment: 'went well', followUp: null, ifVersion: 0 },
      },
    ]);
    expect(onDone).toHaveBeenCalledOnce();
  });

  test('of another reviewer is shown when it arrives, and the typed text is unchanged', async () => {
    const { onDone, user } = show();
    const theirs = review({ version: 1, verdict: 'bad', by: 'ben' });
    answers.push(
      Response.json(
        { error: { code: 'conflict', message: 'Changed.', details: { review: theirs } } },
        { status: 409 },
      ),
      Response.json({ review: review({ version: 2, verdict: 'good', by: 'ana' }) }),
    );
    await user.type(screen.getByLabelText('Comment'), 'fine');
    await user.click(screen.getByRole('button', { name: 'Good' }));
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect((await screen.findByRole('alert')).textContent).toContain('ben already set the verdict to Bad');
    expect(screen.getByLabelText<HTMLTextAreaElement>('Comment').value).toBe('fine');
    expect(onDone).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Set yours instead' }));
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect(sent[1]?.body).toMatchObject({ ifVersion: 1, comment: 'fine' });
    expect(onDone).toHaveBeenCalledOnce();
  });

  test('of a follow-up needs an assignee and a due date', async () => {
    const { user } = show();
    await user.keyboard('f');
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect(screen.getByRole('alert').textContent).toBe('Enter an assignee.');
    await user.type(screen.getByLabelText('Assignee'), 'Add an alert');
    expect(screen.getByText(/^Shiplog does not know “Add an alert”/)).toBeDefined();
    await user.clear(screen.getByLabelText('Assignee'));
    await user.type(screen.getByLabelText('Assignee'), 'Sara');
    await user.clear(screen.getByLabelText('Due'));
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect(screen.getByRole('alert').textContent).toMatch(
      /^Enter the due date like this: \d{1,2} \w{3} \d{4}\.$/,
    );
    await user.type(screen.getByLabelText('Due'), '31/1/2027');
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect(screen.getByRole('alert').textContent).toMatch(/^Enter the due date/);
    expect(sent).toEqual([]);
  });

  test('of a follow-up takes a comment first, and suggests an assignee, to be replaced by typing, and a due date', async () => {
    const { user } = show({ ...record, actor: { name: 'maja', source: 'managedFields', manager: 'argocd' } });
    answers.push(Response.json({ review: review({ version: 1, verdict: 'followUp', by: 'ana' }) }));
    await user.keyboard('f');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Comment')));
    await user.keyboard('{Escape}f');
    const assignee = screen.getByLabelText<HTMLInputElement>('Assignee');
    await waitFor(() => expect(document.activeElement).toBe(assignee));
    expect(assignee.value).toBe('maja');
    await waitFor(() => expect(document.querySelector('option[value=sara]')).not.toBeNull());
    await user.keyboard('sara{Control>}{Enter}{/Control}');
    expect(sent.at(-1)?.body).toMatchObject({ followUp: { person: 'sara', due: defaultDueDay() } });
  });

  test('survives as a draft when the page is reopened', async () => {
    const { user } = show();
    await user.keyboard('b');
    await user.type(screen.getByLabelText('Comment'), 'half a tho');
    cleanup();
    show();
    expect(screen.getByLabelText<HTMLTextAreaElement>('Comment').value).toBe('half a tho');
    expect(screen.getByRole('button', { name: 'Bad' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('of another reviewer is shown before a stored draft replaces it', async () => {
    const { user } = show();
    await user.keyboard('b');
    cleanup();
    show({ ...record, review: review({ version: 1, verdict: 'good', by: 'ben' }) });
    expect(screen.getByRole('alert').textContent).toContain('ben already set the verdict to Good');
    await user.keyboard('n');
    expect(sent).toEqual([]);
  });

  test('that cannot be saved leaves the text, says why, and is resent under the same key', async () => {
    const { user, onDone } = show();
    const message = 'The archive is locked by another program.';
    answers.push(Response.json({ error: { code: 'archive_unavailable', message } }, { status: 503 }));
    answers.push(Response.json({ review: review({ version: 1, verdict: 'good', by: 'ana' }) }));
    await user.keyboard('g');
    await user.type(screen.getByLabelText('Comment'), 'fine');
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect((await screen.findByRole('alert')).textContent).toContain('locked');
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect(sent[1]).toEqual(sent[0]);
    expect(onDone).toHaveBeenCalledOnce();
  });

  test.each([
    ['x'.repeat(1_048_576), /can have up to 10,000 characters; this one has 1,048,576/],
    ['bell\u0007', /^Character 5 is an invisible control character \(U\+0007\)/],
    ['turned \u202e round', /U\+202E/],
  ])('with an invalid comment is not sent, and the text is unchanged (%#)', async (text, sentence) => {
    const { user } = show();
    await user.keyboard('g');
    fireEvent.change(screen.getByLabelText('Comment'), { target: { value: text } });
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect(screen.getByRole('alert').textContent).toMatch(sentence);
    expect(screen.getByLabelText<HTMLTextAreaElement>('Comment').value).toBe(text);
    expect(sent).toEqual([]);
  });

  test('that is bad moves the focus to its reason', async () => {
    const { user } = show();
    await user.keyboard('b');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Comment')));
  });

  test('is sent once however long the key is held', async () => {
    const { onDone } = show();
    for (const repeat of [false, true, true, true]) fireEvent.keyDown(document.body, { key: 'n', repeat });
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(sent).toEqual([]);
  });

  test('is skipped with n', async () => {
    const { onDone, user } = show();
    await user.keyboard('n');
    expect(onDone).toHaveBeenCalledOnce();
    expect(sent).toEqual([]);
  });
});

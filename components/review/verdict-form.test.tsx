// @vitest-environment jsdom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { VerdictForm } from '@/components/review/verdict-form';
import { type ReviewItem } from '@/lib/api/records';
import { ago, sampleRecordAnswer } from '@/test/ledger';

const record = sampleRecordAnswer();
let sent: { path: string; body: unknown }[];
let answers: Response[];

beforeEach(() => {
  sent = [];
  answers = [];
  vi.stubGlobal('fetch', (path: string, { body }: { body: string }) => {
    sent.push({ path, body: JSON.parse(body) as unknown });
    return Promise.resolve(answers.shift() ?? Response.error());
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function review(given: Partial<ReviewItem>): ReviewItem {
  return { ...record.review, at: ago(1), ...given };
}

function show() {
  const onDone = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <VerdictForm record={record} saveLabel="Save and next" onDone={onDone} />
    </QueryClientProvider>,
  );
  return { onDone, user: userEvent.setup() };
}

describe('a verdict', () => {
  test('is chosen by a key, kept only when saved, and then the next one comes', async () => {
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

  test('that somebody else gave meanwhile is shown, and what was typed stays', async () => {
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
    expect((await screen.findByRole('alert')).textContent).toContain('ben has decided meanwhile: bad');
    expect(screen.getByLabelText<HTMLTextAreaElement>('Comment').value).toBe('fine');
    expect(onDone).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Decide again' }));
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect(sent[1]?.body).toMatchObject({ ifVersion: 1, comment: 'fine' });
    expect(onDone).toHaveBeenCalledOnce();
  });

  test('of a follow-up needs a person and a day', async () => {
    const { user } = show();
    await user.keyboard('f');
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect(screen.getByRole('alert').textContent).toBe('Say who follows up.');
    await user.type(screen.getByLabelText('Follow-up by'), 'sara');
    await user.click(screen.getByRole('button', { name: 'Save and next' }));
    expect(screen.getByRole('alert').textContent).toBe('Say until when.');
    expect(sent).toEqual([]);
  });

  test('is skipped with n', async () => {
    const { onDone, user } = show();
    await user.keyboard('n');
    expect(onDone).toHaveBeenCalledOnce();
    expect(sent).toEqual([]);
  });
});

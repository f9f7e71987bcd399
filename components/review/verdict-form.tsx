'use client';

import { useId, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Button } from '@/components/ui/button';
import { sentenceOf } from '@/components/ui/error-state';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { Input, inputClass } from '@/components/ui/input';
import { Kbd } from '@/components/ui/kbd';
import { Notice } from '@/components/ui/notice';
import { useShortcuts } from '@/components/ui/shortcuts';
import { AbsoluteTime } from '@/components/ui/time';
import { type RecordAnswer, type ReviewItem, type VerdictItem } from '@/lib/api/records';
import { AppError } from '@/lib/errors';
import { verdictWords } from '@/lib/ledger/report-text';
import { recordKey, recordsKey } from '@/lib/queries/records';
import { sendVerdict } from '@/lib/queries/review';

type Verdict = VerdictItem['verdict'];

const choices: readonly {
  verdict: Verdict;
  label: string;
  kbd: string;
  glyph: GlyphName;
  color: string;
  on: string;
}[] = [
  {
    verdict: 'good',
    label: 'Good',
    kbd: 'g',
    glyph: 'complete',
    color: 'text-complete',
    on: 'border-complete! bg-complete-soft! inset-ring inset-ring-complete',
  },
  {
    verdict: 'bad',
    label: 'Bad',
    kbd: 'b',
    glyph: 'failed',
    color: 'text-stuck',
    on: 'border-stuck! bg-stuck-soft! inset-ring inset-ring-stuck',
  },
  {
    verdict: 'followUp',
    label: 'Needs follow-up',
    kbd: 'f',
    glyph: 'note',
    color: 'text-held',
    on: 'border-held! bg-held-soft! inset-ring inset-ring-held',
  },
];

/**
 * What a reviewer decides. The keys choose, nothing is kept before it is saved, and a verdict that somebody else gave
 * meanwhile is shown and not overwritten. `onDone` is called after saving, and by `n` with nothing chosen.
 */
export function VerdictForm({
  record,
  saveLabel,
  onDone,
}: {
  record: RecordAnswer;
  saveLabel: string;
  onDone?: () => void;
}) {
  const client = useQueryClient();
  const { review } = record;
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const [comment, setComment] = useState('');
  const [person, setPerson] = useState('');
  const [due, setDue] = useState('');
  const [seenVersion, setSeenVersion] = useState(review.version);
  const [state, setState] = useState<State>({ kind: 'idle' });
  const attempt = useRef({ text: '', key: '' });
  const field = useRef<HTMLTextAreaElement>(null);
  const ids = { comment: useId(), person: useId(), due: useId() };

  async function save() {
    if (verdict === null || state.kind === 'saving') return;
    const missing = missingOf(verdict, person, due);
    if (missing !== null) return setState({ kind: 'failed', message: missing });
    setState({ kind: 'saving' });
    const followUp = verdict === 'followUp' ? { person: person.trim(), due } : null;
    const body = { verdict, comment, followUp, ifVersion: seenVersion };
    const text = JSON.stringify(body);
    if (attempt.current.text !== text) attempt.current = { text, key: crypto.randomUUID() };
    try {
      const answer = await sendVerdict(record.id, body, attempt.current.key);
      client.setQueryData<RecordAnswer>(recordKey(record.id), { ...record, review: answer.review });
      void client.invalidateQueries({ queryKey: recordsKey });
      setSeenVersion(answer.review.version);
      setVerdict(null);
      setComment('');
      setState({ kind: 'idle' });
      onDone?.();
    } catch (error) {
      setState(stateOf(error));
    }
  }

  useShortcuts({
    ...Object.fromEntries(
      choices.map((choice) => [choice.kbd, { label: choice.label, run: () => setVerdict(choice.verdict) }]),
    ),
    c: { label: 'To the comment', run: () => field.current?.focus() },
    n: {
      label: verdict === null ? 'Next, without a verdict' : saveLabel,
      run: () => (verdict === null ? onDone?.() : void save()),
    },
    'mod+enter': { label: saveLabel, run: () => void save() },
  });

  // Somebody else decided while this was open: the answer to a late save says the same.
  const overtaken = state.kind === 'overtaken' ? state.review : review.version > seenVersion ? review : null;
  return (
    <form
      className="mt-5 grid gap-2.5 rounded-4 border border-line-2 bg-surface px-4 pt-2.5 pb-3 print:hidden"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <fieldset>
        <legend className="flex w-full flex-wrap items-baseline gap-x-3 pb-1">
          <b>Verdict</b>
          <Standing review={review} />
        </legend>
        <div className="grid grid-cols-3 gap-2 max-desk:grid-cols-1">
          {choices.map((choice) => (
            <button
              key={choice.verdict}
              type="button"
              aria-pressed={verdict === choice.verdict}
              onClick={() => setVerdict(verdict === choice.verdict ? null : choice.verdict)}
              className={clsx(
                'inline-flex h-[30px] items-center justify-center gap-[7px] rounded-3 border border-line-2 bg-surface font-medium shadow-1 transition-colors hover:bg-hover max-desk:h-11',
                verdict === choice.verdict && choice.on,
              )}
            >
              <Glyph name={choice.glyph} className={choice.color} />
              {choice.label}
              <Kbd className="max-desk:hidden">{choice.kbd}</Kbd>
            </button>
          ))}
        </div>
      </fieldset>
      <label htmlFor={ids.comment} className="sr-only">
        Comment
      </label>
      <textarea
        id={ids.comment}
        ref={field}
        rows={2}
        maxLength={10_000}
        value={comment}
        placeholder="What the team concluded. Links to it stay valid."
        onChange={(event) => setComment(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        className={`${inputClass} w-full px-2.5 py-1.5`}
      />
      {overtaken !== null && (
        <Notice
          tone="changed"
          title={`${overtaken.by ?? 'Somebody'} has decided meanwhile: ${overtaken.verdict === null ? 'no verdict' : verdictWords[overtaken.verdict]}.`}
          action={
            <Button
              size="small"
              onClick={() => {
                setSeenVersion(overtaken.version);
                setState({ kind: 'idle' });
              }}
            >
              Decide again
            </Button>
          }
        >
          Nothing of yours was saved, and what you wrote is still here.
        </Notice>
      )}
      {state.kind === 'failed' && (
        <p role="alert" className="text-small text-stuck">
          {state.message}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {verdict === 'followUp' && (
          <div className="flex flex-wrap items-center gap-2 text-small text-ink-2">
            <label htmlFor={ids.person}>Follow-up by</label>
            <Input
              id={ids.person}
              value={person}
              maxLength={200}
              autoComplete="off"
              onChange={(event) => setPerson(event.target.value)}
              className="w-[150px]"
            />
            <label htmlFor={ids.due}>until</label>
            <Input id={ids.due} type="date" value={due} onChange={(event) => setDue(event.target.value)} />
          </div>
        )}
        <Button
          type="submit"
          tone="primary"
          kbd="⌘↵"
          disabled={verdict === null || state.kind === 'saving' || overtaken !== null}
          disabledReason={
            verdict === null
              ? 'Choose a verdict first'
              : overtaken !== null
                ? 'Somebody else has decided meanwhile'
                : undefined
          }
          className="ml-auto max-desk:w-full"
        >
          {state.kind === 'saving' ? 'Saving …' : saveLabel}
        </Button>
      </div>
    </form>
  );
}

type State =
  | { kind: 'idle' | 'saving' }
  | { kind: 'failed'; message: string }
  | { kind: 'overtaken'; review: ReviewItem };

function stateOf(error: unknown): State {
  if (error instanceof AppError && error.code === 'conflict' && isReview(error.details.review)) {
    return { kind: 'overtaken', review: error.details.review };
  }
  return { kind: 'failed', message: sentenceOf(error) };
}

function isReview(value: unknown): value is ReviewItem {
  return typeof value === 'object' && value !== null && 'version' in value;
}

function missingOf(verdict: Verdict, person: string, due: string): string | null {
  if (verdict !== 'followUp') return null;
  if (person.trim() === '') return 'Say who follows up.';
  return due === '' ? 'Say until when.' : null;
}

/** The verdict that stands, and how many came before it. */
function Standing({ review }: { review: ReviewItem }) {
  const { verdict, by, at, followUp, history } = review;
  if (verdict === null) return <span className="text-small text-ink-3">none yet</span>;
  return (
    <span className="text-small text-ink-2">
      {verdictWords[verdict]}, by {by}
      {at !== null && (
        <>
          {' '}
          <AbsoluteTime iso={at} className="text-ink-3" />
        </>
      )}
      {followUp !== null && `; ${followUp.person} until ${followUp.due}`}
      {history.length > 0 && (
        <span
          className="ml-2 text-ink-3"
          title={history
            .map((before) => `${verdictWords[before.verdict]}, ${before.by}, ${before.at}`)
            .join('\n')}
        >
          {history.length} before
        </span>
      )}
    </span>
  );
}

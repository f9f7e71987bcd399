'use client';

import { useId, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Button } from '@/components/ui/button';
import { sentenceOf } from '@/components/ui/error-state';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { Input } from '@/components/ui/input';
import { Kbd } from '@/components/ui/kbd';
import { Notice } from '@/components/ui/notice';
import { problemOfProse, ProseField } from '@/components/ui/prose-field';
import { useShortcuts } from '@/components/ui/shortcuts';
import { Standing } from '@/components/review/standing';
import { inDays, useVerdictDraft } from '@/components/review/verdict-draft';
import { useMayWrite } from '@/components/ui/use-may-write';
import { useNow } from '@/components/ui/time';
import { type RecordAnswer, type ReviewItem, type VerdictItem } from '@/lib/api/records';
import { AppError } from '@/lib/errors';
import { dayText, readDay } from '@/lib/format/day-text';
import { verdictWords } from '@/lib/ledger/report-text';
import { isLongHeld } from '@/lib/ledger/review-rules';
import { recordKey, recordsKey } from '@/lib/queries/records';
import { sendVerdict } from '@/lib/queries/review';

type Verdict = VerdictItem['verdict'];

/** Until the team meets again. */
const FOLLOW_UP_DAYS = 7;
const MINUTE_MS = 60_000;

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
 * What a reviewer decides. The keys choose, nothing is sent before it is saved, and a verdict that somebody else gave
 * meanwhile is shown and not overwritten. What is not saved yet stays in this browser, whatever becomes of the page.
 * `onDone` is called after saving, and by `n` with nothing chosen.
 */
export function VerdictForm(props: VerdictFormProps) {
  return useMayWrite() ? <Form {...props} /> : <Given {...props} />;
}

interface VerdictFormProps {
  record: RecordAnswer;
  saveLabel: string;
  onDone?: () => void;
}

/** What stands, for who may only look. */
function Given({ record, onDone }: VerdictFormProps) {
  useShortcuts({ n: { label: 'Next', run: ({ repeat }) => (repeat ? undefined : onDone?.()) } });
  return (
    <section
      id="verdict"
      aria-label="Verdict"
      className="mt-5 scroll-mt-[calc(var(--top)+8px)] flex flex-wrap items-baseline gap-x-3 gap-y-1 rounded-4 border border-line-2 bg-surface px-4 py-2.5"
    >
      <b>Verdict</b>
      <Standing review={record.review} />
      <span className="text-small text-ink-3">This Shiplog is read-only: no verdict can be given here.</span>
      {onDone && (
        <Button size="small" kbd="n" onClick={onDone} className="ml-auto">
          Next
        </Button>
      )}
    </section>
  );
}

function Form({ record, saveLabel, onDone }: VerdictFormProps) {
  const client = useQueryClient();
  const { review } = record;
  const { draft, change, forget } = useVerdictDraft(record.id, review.version);
  const { verdict, comment, person, due } = draft;
  const day = readDay(due);
  const seenVersion = draft.seen ?? review.version;
  const [state, setState] = useState<State>({ kind: 'idle' });
  const attempt = useRef({ text: '', key: '' });
  const isSaving = useRef(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const personField = useRef<HTMLInputElement>(null);
  const nowMs = useNow(MINUTE_MS);
  const ids = { person: useId(), people: useId(), due: useId() };

  function choose(next: Verdict | null) {
    change({
      verdict: next,
      ...(next === 'followUp' && due === '' && { due: dayText(inDays(FOLLOW_UP_DAYS)) }),
    });
    if (state.kind === 'failed') setState({ kind: 'idle' });
  }

  function chooseByKey(next: Verdict) {
    choose(next);
    // Once the field is there: a follow-up is nothing without a person.
    if (next === 'followUp') setTimeout(() => personField.current?.focus());
  }

  async function save() {
    if (verdict === null || isSaving.current || overtaken !== null) return;
    const missing = missingOf(verdict, person, day) ?? problemOfProse(comment);
    if (missing !== null) return setState({ kind: 'failed', message: missing });
    isSaving.current = true;
    setState({ kind: 'saving' });
    const followUp = verdict === 'followUp' && day !== null ? { person: person.trim(), due: day } : null;
    const body = { verdict, comment, followUp, ifVersion: seenVersion };
    const text = JSON.stringify(body);
    if (attempt.current.text !== text) attempt.current = { text, key: crypto.randomUUID() };
    try {
      const answer = await sendVerdict(record.id, body, attempt.current.key);
      client.setQueryData<RecordAnswer>(recordKey(record.id), { ...record, review: answer.review });
      void client.invalidateQueries({ queryKey: recordsKey });
      forget();
      setState({ kind: 'idle' });
      onDone?.();
    } catch (error) {
      setState(stateOf(error));
      // Their words, too, belong to what has to be looked at.
      void client.invalidateQueries({ queryKey: recordKey(record.id) });
    } finally {
      isSaving.current = false;
    }
  }

  // Somebody else decided while this was open: the answer to a late save says the same.
  const overtaken = state.kind === 'overtaken' ? state.review : review.version > seenVersion ? review : null;

  // A key that is held down must not go through the whole queue.
  useShortcuts({
    ...Object.fromEntries(
      choices.map((choice) => [
        choice.kbd,
        { label: choice.label, run: ({ repeat }) => (repeat ? undefined : chooseByKey(choice.verdict)) },
      ]),
    ),
    c: { label: 'To the comment', run: () => field.current?.focus() },
    n: {
      label: verdict === null ? 'Next, without a verdict' : saveLabel,
      run: ({ repeat }) => {
        if (repeat) return;
        if (verdict === null) onDone?.();
        else void save();
      },
    },
    'mod+enter': { label: saveLabel, run: ({ repeat }) => (repeat ? undefined : void save()) },
  });

  return (
    <form
      id="verdict"
      className="@container mt-5 scroll-mt-[calc(var(--top)+8px)] grid gap-2.5 rounded-4 border border-line-2 bg-surface px-4 pt-2.5 pb-3 print:hidden"
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
        <div className="grid grid-cols-1 gap-2 @[430px]:grid-cols-3">
          {choices.map((choice) => (
            <button
              key={choice.verdict}
              type="button"
              aria-pressed={verdict === choice.verdict}
              onClick={() => choose(verdict === choice.verdict ? null : choice.verdict)}
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
      {record.outcome === null && (
        <p className="text-small text-ink-2">
          {isLongHeld(record.spans, nowMs)
            ? 'It has been held for more than a day and goes on: the verdict is about what held it.'
            : 'It goes on. A verdict can wait until it has ended; one that you give now stands.'}
        </p>
      )}
      <ProseField
        ref={field}
        label="Comment"
        value={comment}
        placeholder="What the team concluded. Links to it stay valid."
        onChange={(text) => change({ comment: text })}
      />
      {overtaken !== null && (
        <Notice
          tone="changed"
          title={`${overtaken.by ?? 'Somebody'} has decided meanwhile: ${overtaken.verdict === null ? 'no verdict' : verdictWords[overtaken.verdict]}.`}
          action={
            <Button
              size="small"
              onClick={() => {
                change({ seen: overtaken.version });
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
              ref={personField}
              id={ids.person}
              list={ids.people}
              dir="auto"
              value={person}
              maxLength={200}
              autoComplete="off"
              onChange={(event) => change({ person: event.target.value })}
              onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
              className="w-[150px]"
            />
            <datalist id={ids.people}>
              {peopleOf(record).map((name) => (
                <option key={name} value={name} />
              ))}
            </datalist>
            <label htmlFor={ids.due}>until</label>
            <Input
              id={ids.due}
              value={due}
              autoComplete="off"
              onChange={(event) => change({ due: event.target.value })}
              onBlur={() => day !== null && change({ due: dayText(day) })}
              onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
            />
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

/** Who may be asked to follow up: those who have had to do with it. */
function peopleOf({ actor, review }: RecordAnswer): string[] {
  const names = [
    actor?.source === 'shiplog' ? actor.name : null,
    review.by,
    ...review.comments.map(({ by }) => by),
  ];
  return [...new Set(names.filter((name) => name !== null))];
}

function missingOf(verdict: Verdict, person: string, day: string | null): string | null {
  if (verdict !== 'followUp') return null;
  if (person.trim() === '') return 'Say who follows up.';
  return day === null ? `Write the day it is due as ${dayText(inDays(FOLLOW_UP_DAYS))}.` : null;
}

'use client';

import { useId, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Button } from '@/components/ui/button';
import { errorText } from '@/components/ui/error-state';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { Input } from '@/components/ui/input';
import { Kbd } from '@/components/ui/kbd';
import { Notice } from '@/components/ui/notice';
import { validateProse, ProseField } from '@/components/shared/prose-field';
import { useShortcuts } from '@/components/ui/shortcuts';
import { CurrentVerdict } from '@/components/review/current-verdict';
import { inDays, useVerdictDraft } from '@/components/review/verdict-draft';
import { useCanWrite } from '@/components/shared/use-can-write';
import { useNow } from '@/components/ui/time';
import { type ReviewItem, type VerdictItem } from '@/lib/api/review';
import { type RecordAnswer } from '@/lib/api/records';
import { AppError } from '@/lib/errors';
import { formatCalendarDay, parseCalendarDay } from '@/lib/format/day-text';
import { verdictLabels } from '@/lib/view/report-text';
import { isLongHeld } from '@/lib/records/review-rules';
import { recordKey, recordsKey } from '@/components/queries/records';
import { sendVerdict } from '@/components/queries/review';

type VerdictName = VerdictItem['verdict'];

/** A week: until the next meeting of the team. */
const FOLLOW_UP_DAYS = 7;
const MINUTE_MS = 60_000;

const choices: readonly {
  verdict: VerdictName;
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
 * The form of a verdict. Keys choose it, and nothing is sent before it is saved. A verdict that another reviewer
 * saved meanwhile is shown and not overwritten. Drafts stay in this browser. `onDone` is called after saving, and by
 * `n` with nothing chosen.
 */
export function VerdictForm(props: VerdictFormProps) {
  return useCanWrite() ? <Form {...props} /> : <ReadOnlyVerdict {...props} />;
}

interface VerdictFormProps {
  record: RecordAnswer;
  saveLabel: string;
  onDone?: () => void;
}

/** The current verdict for a viewer who cannot write. */
function ReadOnlyVerdict({ record, onDone }: VerdictFormProps) {
  useShortcuts({
    n: { label: 'Next', hint: 'next', run: ({ repeat }) => (repeat ? undefined : onDone?.()) },
  });
  return (
    <section
      id="verdict"
      aria-label="Verdict"
      className="mt-5 scroll-mt-[calc(var(--top)+8px)] flex flex-wrap items-baseline gap-x-3 gap-y-1 rounded-4 border border-line-2 bg-surface px-4 py-2.5"
    >
      <b>Verdict</b>
      <CurrentVerdict review={record.review} />
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
  const day = parseCalendarDay(due);
  const baseVersion = draft.seen ?? review.version;
  const [state, setState] = useState<FormState>({ kind: 'idle' });
  const attempt = useRef({ text: '', key: '' });
  const isSaving = useRef(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const personField = useRef<HTMLInputElement>(null);
  const nowMs = useNow(MINUTE_MS);
  const ids = { person: useId(), people: useId(), due: useId() };

  function choose(next: VerdictName | null) {
    change({
      verdict: next,
      ...(next === 'followUp' && due === '' && { due: formatCalendarDay(inDays(FOLLOW_UP_DAYS)) }),
    });
    if (state.kind === 'failed') setState({ kind: 'idle' });
  }

  function chooseByKey(next: VerdictName) {
    choose(next);
    // Once the field exists: a follow-up requires a person.
    if (next === 'followUp') setTimeout(() => personField.current?.focus());
  }

  async function save() {
    if (verdict === null || isSaving.current || overtaken !== null) return;
    const missing = missingText(verdict, person, day) ?? validateProse(comment);
    if (missing !== null) return setState({ kind: 'failed', message: missing });
    isSaving.current = true;
    setState({ kind: 'saving' });
    const followUp = verdict === 'followUp' && day !== null ? { person: person.trim(), due: day } : null;
    const body = { verdict, comment, followUp, ifVersion: baseVersion };
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
      // Includes the text of the other reviewer.
      void client.invalidateQueries({ queryKey: recordKey(record.id) });
    } finally {
      isSaving.current = false;
    }
  }

  // Another reviewer decided while this form was open; a conflict on saving reports the same.
  const overtaken = state.kind === 'overtaken' ? state.review : review.version > baseVersion ? review : null;

  // A held key must not run through the queue.
  useShortcuts({
    ...Object.fromEntries(
      choices.map((choice) => [
        choice.kbd,
        {
          label: choice.label,
          hint: 'good, bad, follow-up',
          run: ({ repeat }: KeyboardEvent) => (repeat ? undefined : chooseByKey(choice.verdict)),
        },
      ]),
    ),
    c: { label: 'To the comment', hint: 'comment', run: () => field.current?.focus() },
    n: {
      label: verdict === null ? 'Next, without a verdict' : saveLabel,
      hint: onDone === undefined ? undefined : 'next',
      run: ({ repeat }) => {
        if (repeat) return;
        if (verdict === null) onDone?.();
        else void save();
      },
    },
    'mod+enter': {
      label: saveLabel,
      hint: saveLabel.toLowerCase(),
      run: ({ repeat }) => (repeat ? undefined : void save()),
    },
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
          <CurrentVerdict review={review} />
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
          title={`${overtaken.by ?? 'Somebody'} has decided meanwhile: ${overtaken.verdict === null ? 'no verdict' : verdictLabels[overtaken.verdict]}.`}
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
              onBlur={() => day !== null && change({ due: formatCalendarDay(day) })}
              onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
            />
          </div>
        )}
        <Button
          type="submit"
          tone="primary"
          kbd="mod+enter"
          disabled={state.kind === 'saving'}
          disabledReason={
            verdict === null
              ? 'Choose a verdict first'
              : overtaken !== null
                ? 'Somebody else has decided meanwhile'
                : null
          }
          className="ml-auto max-desk:w-full"
        >
          {state.kind === 'saving' ? 'Saving …' : saveLabel}
        </Button>
      </div>
    </form>
  );
}

type FormState =
  | { kind: 'idle' | 'saving' }
  | { kind: 'failed'; message: string }
  | { kind: 'overtaken'; review: ReviewItem };

function stateOf(error: unknown): FormState {
  if (error instanceof AppError && error.code === 'conflict' && isReview(error.details.review)) {
    return { kind: 'overtaken', review: error.details.review };
  }
  return { kind: 'failed', message: errorText(error) };
}

function isReview(value: unknown): value is ReviewItem {
  return typeof value === 'object' && value !== null && 'version' in value;
}

/** Suggested assignees: the people involved so far. */
function peopleOf({ actor, review }: RecordAnswer): string[] {
  const names = [
    actor?.source === 'shiplog' ? actor.name : null,
    review.by,
    ...review.comments.map(({ by }) => by),
  ];
  return [...new Set(names.filter((name) => name !== null))];
}

function missingText(verdict: VerdictName, person: string, day: string | null): string | null {
  if (verdict !== 'followUp') return null;
  if (person.trim() === '') return 'Say who follows up.';
  return day === null ? `Write the day it is due as ${formatCalendarDay(inDays(FOLLOW_UP_DAYS))}.` : null;
}

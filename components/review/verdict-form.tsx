'use client';

import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Button } from '@/components/ui/button';
import { errorText } from '@/components/ui/error-state';
import { Notice } from '@/components/ui/notice';
import { useShortcuts } from '@/components/ui/shortcuts';
import { useNow } from '@/components/ui/time';
import { useCanWrite } from '@/components/shared/use-can-write';
import { conflictingReview } from '@/components/review/conflicting-review';
import { CurrentVerdict } from '@/components/review/current-verdict';
import { useRecentPeople } from '@/components/review/recent-people';
import { useVerdictDraft } from '@/components/review/verdict-draft';
import { readDraftFields, VerdictFields } from '@/components/review/verdict-fields';
import type { ReviewItem, VerdictItem } from '@/lib/api/review';
import type { QueuedRecord } from '@/lib/api/review-queue';
import type { RecordAnswer } from '@/lib/api/records';
import { verdictLabels } from '@/lib/view/report-text';
import { isLongHeld } from '@/lib/records/review-rules';
import { recordKey, recordsKey } from '@/components/queries/records';
import { dropQueued, sendVerdict } from '@/components/queries/review';

const MINUTE_MS = 60_000;

/** What the form needs of a record; one of the queue has it before the record itself is loaded. */
type ReviewedRecord = Pick<
  QueuedRecord,
  'id' | 'workload' | 'outcome' | 'spans' | 'actor' | 'review' | 'refusals'
>;

interface VerdictFormProps {
  record: ReviewedRecord;
  saveLabel: string;
  /** After saving, with the verdict; with null on `n` without one. */
  onDone?: (verdict: VerdictItem['verdict'] | null) => void;
  /** Others that wait for a verdict: their people are suggested as assignees. */
  queue?: readonly QueuedRecord[];
  /** Stays visible at the lower edge of the page, and names the rollout. */
  inBar?: boolean;
}

/**
 * The verdict on one record. One that another reviewer saved meanwhile is shown and not overwritten. Drafts stay in
 * this browser.
 */
export function VerdictForm(props: VerdictFormProps) {
  const canWrite = useCanWrite();
  const refusal = canWrite ? props.record.refusals.reviews : 'Shiplog is read-only here.';
  return refusal === null ? <Form {...props} /> : <ReadOnlyVerdict {...props} refusal={refusal} />;
}

/** The current verdict for a viewer who cannot write. */
function ReadOnlyVerdict({
  record,
  onDone,
  inBar = false,
  refusal,
}: VerdictFormProps & {
  /** Why they can't. */
  refusal: string;
}) {
  useShortcuts({
    n: { label: 'Next', hint: 'next', run: ({ repeat }) => (repeat ? undefined : onDone?.(null)) },
  });
  return (
    <section
      id="verdict"
      aria-label="Verdict"
      className={clsx(
        'mt-5 flex flex-wrap items-baseline gap-x-3 gap-y-1 rounded-4 border border-line-2 bg-surface px-4 py-2.5',
        inBar && 'sticky bottom-(--foot) z-10 mt-auto low:static',
      )}
    >
      <b>Verdict</b>
      <CurrentVerdict review={record.review} />
      <span className="text-small text-ink-3">{refusal}</span>
      {onDone && (
        <Button size="small" kbd="n" onClick={() => onDone(null)} className="ml-auto">
          Next
        </Button>
      )}
    </section>
  );
}

function Form({ record, saveLabel, onDone, queue = [], inBar = false }: VerdictFormProps) {
  const client = useQueryClient();
  const { review } = record;
  const { draft, change, forget } = useVerdictDraft(record.id, review.version);
  const baseVersion = draft.seen ?? review.version;
  const [state, setState] = useState<FormState>({ kind: 'idle' });
  const attempt = useRef({ text: '', key: '' });
  const isSaving = useRef(false);
  const people = useRecentPeople([record, ...queue], draft.verdict === 'followUp');
  const nowMs = useNow(MINUTE_MS);
  // Another reviewer decided while this form was open; a conflict on saving reports the same.
  const overtaken = state.kind === 'overtaken' ? state.review : review.version > baseVersion ? review : null;

  async function save() {
    if (isSaving.current || overtaken !== null) return;
    const { error, body: fields } = readDraftFields(draft, people);
    if (error !== null) setState({ kind: 'failed', message: error });
    if (fields === null) return;
    isSaving.current = true;
    setState({ kind: 'saving' });
    const body = { ...fields, ifVersion: baseVersion };
    const text = JSON.stringify(body);
    if (attempt.current.text !== text) attempt.current = { text, key: crypto.randomUUID() };
    try {
      const answer = await sendVerdict(record.id, body, attempt.current.key);
      client.setQueryData<RecordAnswer>(
        recordKey(record.id),
        (before) => before && { ...before, review: answer.review },
      );
      forget();
      setState({ kind: 'idle' });
      onDone?.(body.verdict);
      dropQueued(client, record.id);
      void client.invalidateQueries({ queryKey: recordsKey });
    } catch (failure) {
      const theirs = conflictingReview(failure);
      setState(
        theirs === null
          ? { kind: 'failed', message: errorText(failure) }
          : { kind: 'overtaken', review: theirs },
      );
      // Includes the text of the other reviewer.
      void client.invalidateQueries({ queryKey: recordKey(record.id) });
    } finally {
      isSaving.current = false;
    }
  }

  return (
    <VerdictFields
      draft={draft}
      legend={
        <>
          <b className="text-ink">Verdict{inBar && ` on ${record.workload.name}`}</b>
          <CurrentVerdict review={review} />
        </>
      }
      people={people}
      saveLabel={saveLabel}
      savingLabel={state.kind === 'saving' ? 'Saving…' : null}
      disabledReason={overtaken === null ? null : 'Another reviewer has set a verdict'}
      inBar={inBar}
      onChange={(changed) => {
        change(changed);
        if (state.kind === 'failed') setState({ kind: 'idle' });
      }}
      onSave={() => void save()}
      onSkip={onDone && (() => onDone(null))}
    >
      {record.outcome === null && (
        <p className="text-small text-ink-2">
          {isLongHeld(record.spans, nowMs)
            ? 'This rollout has been held for more than a day and is still in progress. The verdict is on what held it.'
            : 'This rollout is still in progress. The verdict is kept when the rollout ends.'}
        </p>
      )}
      {overtaken !== null && (
        <Notice
          tone="changed"
          title={`${overtaken.by ?? 'Another reviewer'} already set the verdict to ${overtaken.verdict === null ? 'none' : verdictLabels[overtaken.verdict]}.`}
          action={
            <Button
              size="small"
              onClick={() => {
                change({ seen: overtaken.version });
                setState({ kind: 'idle' });
              }}
            >
              Set yours instead
            </Button>
          }
        >
          Yours was not saved. Your draft is kept.
        </Notice>
      )}
      {state.kind === 'failed' && (
        <p role="alert" className="text-small text-stuck">
          {state.message}
        </p>
      )}
    </VerdictFields>
  );
}

type FormState =
  | { kind: 'idle' | 'saving' }
  | { kind: 'failed'; message: string }
  | { kind: 'overtaken'; review: ReviewItem };

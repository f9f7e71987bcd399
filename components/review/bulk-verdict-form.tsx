'use client';

import { useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { useRecentPeople } from '@/components/review/recent-people';
import { needsAttention } from '@/components/review/queue-order';
import { saveVerdicts, type UnsavedVerdict } from '@/components/review/save-verdicts';
import { emptyDraft, type VerdictDraft } from '@/components/review/verdict-draft';
import { readDraftFields, VerdictFields } from '@/components/review/verdict-fields';
import { dropQueued } from '@/components/queries/review';
import { recordsKey } from '@/components/queries/records';
import type { BulkReviewRequest, VerdictItem } from '@/lib/api/review';
import type { QueuedRecord } from '@/lib/api/review-queue';
import { formatCount } from '@/lib/format/text';
import { transitionText } from '@/lib/view/record-text';
import { verdictLabels } from '@/lib/view/report-text';

const LISTED_MAX = 6;

/**
 * One verdict for the selected records. Those that could not be saved are listed, and stay selected while they wait for
 * a verdict; the others leave the queue.
 */
export function BulkVerdictForm({
  selected,
  onSaved,
  onDone,
  onClear,
  onOpen,
}: {
  selected: readonly QueuedRecord[];
  onSaved: (id: string, verdict: VerdictItem['verdict']) => void;
  /** After the last attempt: the ids that were saved, and whether others are listed here as not saved. */
  onDone: (saved: ReadonlySet<string>, hasUnsaved: boolean) => void;
  onClear: () => void;
  onOpen: (id: string) => void;
}) {
  const client = useQueryClient();
  const [draft, setDraft] = useState<VerdictDraft>(emptyDraft);
  const [error, setError] = useState<string | null>(null);
  const [saving, setSaving] = useState<number | null>(null);
  const [unsaved, setUnsaved] = useState<readonly UnsavedVerdict[]>([]);
  const isSaving = useRef(false);
  const keys = useRef(new Map<string, string>());
  const people = useRecentPeople(selected, draft.verdict === 'followUp');

  function keyOf(body: BulkReviewRequest): string {
    const attempt = JSON.stringify(body);
    const key = keys.current.get(attempt) ?? crypto.randomUUID();
    keys.current.set(attempt, key);
    return key;
  }

  async function save() {
    const { error: problem, body } = readDraftFields(draft, people);
    setError(problem);
    if (body === null || isSaving.current || selected.length === 0) return;
    isSaving.current = true;
    setUnsaved([]);
    setSaving(selected.length);
    const failed = await saveVerdicts(selected, body, keyOf);
    const saved = new Set(selected.map(({ id }) => id));
    for (const { record } of failed) saved.delete(record.id);
    for (const id of saved) onSaved(id, body.verdict);
    isSaving.current = false;
    setSaving(null);
    setUnsaved(failed);
    if (failed.length === 0) setDraft(emptyDraft);
    onDone(saved, failed.length > 0);
    dropQueued(client, ...saved);
    void client.invalidateQueries({ queryKey: recordsKey });
  }

  const troubled = selected.filter(needsAttention).length;
  const count = saving ?? selected.length;
  return (
    <VerdictFields
      inBar
      draft={draft}
      legend={
        <>
          <b className="text-ink">{formatCount(count, 'rollout')} selected</b>
          {troubled > 0 && <span className="text-stuck">{troubled} of them failed or stalled</span>}
          <Button size="small" tone="quiet" kbd="escape" onClick={onClear} className="-my-1 ml-auto">
            {selected.length === 0 ? 'Close' : 'Clear selection'}
          </Button>
        </>
      }
      people={people}
      saveLabel={`Save ${count}`}
      savingLabel={saving === null ? null : `Saving ${saving}…`}
      disabledReason={selected.length === 0 && saving === null ? 'Nothing is selected' : null}
      onChange={(change) => {
        setDraft((before) => ({ ...before, ...change }));
        setError(null);
      }}
      onSave={() => void save()}
    >
      {error !== null && (
        <p role="alert" className="text-small text-stuck">
          {error}
        </p>
      )}
      {unsaved.length > 0 && (
        <div role="alert" className="text-small text-stuck">
          <p>{formatCount(unsaved.length, 'verdict')} not saved:</p>
          <ul className="pt-0.5 text-ink-2">
            {unsaved.slice(0, LISTED_MAX).map(({ record, message, review }) => (
              <li key={record.id} className="[overflow-wrap:anywhere]">
                <button
                  type="button"
                  className="font-medium underline decoration-line-2"
                  onClick={() => onOpen(record.id)}
                >
                  {record.workload.name} {transitionText(record)}
                </button>
                : {review === null ? message : conflictText(review)}
              </li>
            ))}
          </ul>
          {unsaved.length > LISTED_MAX && <p>and {unsaved.length - LISTED_MAX} more</p>}
        </div>
      )}
    </VerdictFields>
  );
}

function conflictText({ by, verdict }: NonNullable<UnsavedVerdict['review']>): string {
  const who = by ?? 'Another reviewer';
  return verdict === null
    ? `${who} has removed the verdict`
    : `${who} already set it to ${verdictLabels[verdict]}`;
}

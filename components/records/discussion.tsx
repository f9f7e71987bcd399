'use client';

import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { readDraft } from '@/components/ui/draft';
import { CommentBox } from '@/components/records/comment-box';
import { CommentEntry } from '@/components/records/comment-entry';
import { useCanWrite } from '@/components/shared/use-can-write';
import type { CommentItem } from '@/lib/api/review';
import type { RecordAnswer } from '@/lib/api/records';
import { recordKey } from '@/components/queries/records';
import { sendComment } from '@/components/queries/review';

/** The comments on a record (`path` null) or on one change of it, answers below what they answer. */
export function Discussion({
  record,
  path,
  open = true,
}: {
  record: RecordAnswer;
  path: string | null;
  /** Whether the field is open at once. */
  open?: boolean;
}) {
  const { cluster } = record.workload;
  const comments = record.review.comments.filter((comment) => comment.path === path);
  const threads = threadsOf(comments);
  const draft = `${record.id}.${path ?? ''}`;
  // A draft reopens the field.
  const [isWriting, setWriting] = useState(() => readDraft(draft) !== null);
  const client = useQueryClient();
  const canWrite = useCanWrite();
  const refusal = record.refusals.comments;
  const mayWrite = canWrite && refusal === null;
  const refresh = () => client.invalidateQueries({ queryKey: recordKey(record.id) });

  async function add(body: string, key: string, answers: string | null = null) {
    await sendComment(record.id, { body, path, answers }, key);
    setWriting(false);
    await refresh();
  }

  return (
    <div className={path === null ? 'pt-1.5' : 'border-l-2 border-line-2 pl-3'}>
      {threads.length > 0 && (
        <ol className="grid gap-2">
          {threads.map(([first, ...answers]) => (
            <li key={first.id}>
              <CommentEntry
                comment={first}
                recordId={record.id}
                cluster={cluster}
                onChanged={refresh}
                mayWrite={mayWrite}
                {...(mayWrite && { onAnswer: (body: string, key: string) => add(body, key, first.id) })}
              >
                {answers.length > 0 && (
                  <ol className="mt-1.5 grid gap-1.5 border-l border-line pl-3">
                    {answers.map((answer) => (
                      <li key={answer.id}>
                        <CommentEntry
                          comment={answer}
                          recordId={record.id}
                          cluster={cluster}
                          onChanged={refresh}
                          mayWrite={mayWrite}
                        />
                      </li>
                    ))}
                  </ol>
                )}
              </CommentEntry>
            </li>
          ))}
        </ol>
      )}
      {!canWrite ? null : mayWrite && ((open && path !== null) || isWriting) ? (
        <CommentBox
          label={path === null ? 'Comment' : 'Comment on this change'}
          draft={draft}
          onSend={add}
          onCancel={path === null ? () => setWriting(false) : undefined}
        />
      ) : (
        <Button
          size="small"
          tone="quiet"
          glyph="note"
          disabledReason={refusal}
          onClick={() => setWriting(true)}
          className="mt-1 -ml-2 print:hidden"
        >
          Comment
        </Button>
      )}
    </div>
  );
}

/** Each comment that is not an answer to one of these, with its thread, in the order of time. */
function threadsOf(comments: readonly CommentItem[]): [CommentItem, ...CommentItem[]][] {
  const byId = new Map(comments.map((comment) => [comment.id, comment]));
  const rootOf = (comment: CommentItem): string => {
    let at = comment;
    // An answer is newer than what it answers, so this ends.
    for (let above = byId.get(at.answers ?? ''); above !== undefined; above = byId.get(at.answers ?? ''))
      at = above;
    return at.id;
  };
  const threads = Map.groupBy(comments, rootOf);
  return [...threads.values()].flatMap(([first, ...rest]) => (first === undefined ? [] : [[first, ...rest]]));
}

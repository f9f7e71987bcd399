'use client';

import { useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { readDraft } from '@/components/ui/draft';
import { CommentBox } from '@/components/records/comment-box';
import { OneComment } from '@/components/records/one-comment';
import { useMayWrite } from '@/components/ui/use-may-write';
import { type CommentItem, type RecordAnswer } from '@/lib/api/records';
import { recordKey } from '@/lib/queries/records';
import { sendComment } from '@/lib/queries/review';

/** What was said about a record (`path` null) or about one change of it, answers below what they answer. */
export function Discussion({
  record,
  path,
  open = true,
}: {
  record: RecordAnswer;
  path: string | null;
  /** Whether the field is offered at once. */
  open?: boolean;
}) {
  const comments = record.review.comments.filter((comment) => comment.path === path);
  const threads = threadsOf(comments);
  const draft = `${record.id}.${path ?? ''}`;
  // Whoever has begun to write finds it where it was left.
  const [asked, setAsked] = useState(() => readDraft(draft) !== null);
  const client = useQueryClient();
  const mayWrite = useMayWrite();
  const refresh = () => client.invalidateQueries({ queryKey: recordKey(record.id) });

  async function add(body: string, key: string, answers: string | null = null) {
    await sendComment(record.id, { body, path, answers }, key);
    setAsked(false);
    await refresh();
  }

  return (
    <div className={path === null ? 'pt-1.5' : 'border-l-2 border-line-2 pl-3'}>
      {threads.length > 0 && (
        <ol className="grid gap-2">
          {threads.map(([first, ...answers]) => (
            <li key={first.id}>
              <OneComment
                comment={first}
                recordId={record.id}
                onChanged={refresh}
                {...(mayWrite && { onAnswer: (body: string, key: string) => add(body, key, first.id) })}
              >
                {answers.length > 0 && (
                  <ol className="mt-1.5 grid gap-1.5 border-l border-line pl-3">
                    {answers.map((answer) => (
                      <li key={answer.id}>
                        <OneComment comment={answer} recordId={record.id} onChanged={refresh} />
                      </li>
                    ))}
                  </ol>
                )}
              </OneComment>
            </li>
          ))}
        </ol>
      )}
      {!mayWrite ? null : (open && path !== null) || asked ? (
        <CommentBox
          label={path === null ? 'Comment' : 'Comment on this change'}
          draft={draft}
          onSend={add}
          onCancel={path === null ? () => setAsked(false) : undefined}
        />
      ) : (
        <Button
          size="small"
          tone="quiet"
          glyph="note"
          onClick={() => setAsked(true)}
          className="mt-1 -ml-2 print:hidden"
        >
          Comment
        </Button>
      )}
    </div>
  );
}

/** Each comment that answers none of these, with all that hang on it, in the order of time. */
function threadsOf(comments: readonly CommentItem[]): [CommentItem, ...CommentItem[]][] {
  const byId = new Map(comments.map((comment) => [comment.id, comment]));
  const rootOf = (comment: CommentItem): string => {
    let at = comment;
    // An answer is younger than what it answers, so this ends.
    for (let above = byId.get(at.answers ?? ''); above !== undefined; above = byId.get(at.answers ?? ''))
      at = above;
    return at.id;
  };
  const threads = Map.groupBy(comments, rootOf);
  return [...threads.values()].flatMap(([first, ...rest]) => (first === undefined ? [] : [[first, ...rest]]));
}

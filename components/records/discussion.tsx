'use client';

import { useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { AbsoluteTime } from '@/components/ui/time';
import { CommentBox } from '@/components/records/comment-box';
import { type CommentItem, type RecordAnswer } from '@/lib/api/records';
import { clusterQuery } from '@/lib/queries/cluster';
import { recordKey } from '@/lib/queries/records';
import { sendComment, sendCommentEdit } from '@/lib/queries/review';

/**
 * What was said about a record (`path` null) or about one change of it, and a field to say more. Text is shown as it was
 * written, with its line ends; links and markup in it stay text.
 */
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
  const [asked, setAsked] = useState(false);
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: recordKey(record.id) });

  async function add(body: string, key: string) {
    await sendComment(record.id, { body, path }, key);
    setAsked(false);
    await refresh();
  }

  return (
    <div className={path === null ? 'pt-1.5' : 'border-l-2 border-line-2 pl-3'}>
      {comments.length > 0 && (
        <ol className="grid gap-1.5">
          {comments.map((comment) => (
            <OneComment key={comment.id} comment={comment} recordId={record.id} onChanged={refresh} />
          ))}
        </ol>
      )}
      {(open && path !== null) || asked ? (
        <CommentBox
          label={path === null ? 'Comment' : 'Comment on this change'}
          onSend={add}
          onCancel={path === null ? () => setAsked(false) : undefined}
        />
      ) : (
        <Button size="small" tone="quiet" glyph="note" onClick={() => setAsked(true)} className="-ml-2 mt-1">
          Comment
        </Button>
      )}
    </div>
  );
}

function OneComment({
  comment,
  recordId,
  onChanged,
}: {
  comment: CommentItem;
  recordId: string;
  onChanged: () => Promise<void>;
}) {
  const { data: cluster } = useQuery(clusterQuery());
  const [editing, setEditing] = useState(false);
  const [history, setHistory] = useState(false);
  const isOwn = cluster?.viewer.name === comment.by;
  async function save(body: string) {
    await sendCommentEdit(recordId, comment.id, body);
    setEditing(false);
    await onChanged();
  }
  return (
    <li className="text-[12.5px]/[18px]">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <b>{comment.by}</b>
        <AbsoluteTime iso={comment.at} className="text-small text-ink-3" />
        {comment.edits.length > 0 && (
          <button
            type="button"
            aria-expanded={history}
            onClick={() => setHistory(!history)}
            className="rounded-2 text-small text-ink-3 underline decoration-line-2 hover:text-ink"
          >
            edited
          </button>
        )}
        {isOwn && !editing && (
          <button
            type="button"
            onClick={() => setEditing(true)}
            className="rounded-2 text-small text-ink-3 hover:text-ink"
          >
            Edit
          </button>
        )}
      </p>
      {editing ? (
        <CommentBox label="Comment" initial={comment.body} onSend={save} onCancel={() => setEditing(false)} />
      ) : (
        <p className="[overflow-wrap:anywhere] whitespace-pre-wrap text-ink-2">{comment.body}</p>
      )}
      {history &&
        comment.edits.map((edit) => (
          <p
            key={edit.at}
            className="mt-1 [overflow-wrap:anywhere] whitespace-pre-wrap text-ink-3 line-through decoration-line-2"
          >
            {edit.body}
          </p>
        ))}
    </li>
  );
}

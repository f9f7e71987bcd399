'use client';

import { useState } from 'react';
import { Avatar } from '@/components/ui/avatar';
import { Markdown } from '@/components/ui/markdown';
import { AbsoluteTime } from '@/components/ui/time';
import { CommentBox } from '@/components/records/comment-box';
import type { CommentItem } from '@/lib/api/review';
import { isAuthor } from '@/lib/records/review';
import { useClusters } from '@/components/queries/cluster';
import { sendCommentEdit } from '@/components/queries/review';

const quietButtonClass = 'rounded-2 text-small text-ink-3 hover:text-ink print:hidden';

/** A comment with its edit history. Its author can edit it, and every reader can reply. */
export function CommentEntry({
  comment,
  recordId,
  cluster,
  mayWrite,
  onChanged,
  onAnswer,
  children,
}: {
  comment: CommentItem;
  recordId: string;
  /** Id of the cluster of the record. */
  cluster: string;
  /** Whether the viewer can comment on the record. */
  mayWrite: boolean;
  onChanged: () => Promise<void>;
  onAnswer?: (body: string, idempotencyKey: string) => Promise<void>;
  /** Its answers. */
  children?: React.ReactNode;
}) {
  const { list, find } = useClusters();
  // Each cluster knows the viewer by a name of its own; the record may be of one that is not connected any more.
  const viewer = (find(cluster) ?? list?.items[0])?.viewer;
  const isOwn = viewer !== undefined && isAuthor(comment, viewer) && mayWrite;
  const [doing, setDoing] = useState<'edit' | 'answer' | null>(null);
  const [showsEarlier, setShowsEarlier] = useState(false);
  const { by, at, body, edits, mentions } = comment;
  const lastEdit = edits.at(-1);

  async function save(text: string) {
    await sendCommentEdit(recordId, comment.id, text);
    setDoing(null);
    await onChanged();
  }
  async function answer(text: string, key: string) {
    await onAnswer?.(text, key);
    setDoing(null);
  }

  return (
    <article aria-label={`Comment by ${by}`} className="text-[12.5px]/[18px]">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <b className="isolate">
          <Avatar name={by} size="row" className="mr-1.5" />
          {by}
        </b>
        <AbsoluteTime iso={at} className="text-small text-ink-3" />
        {lastEdit !== undefined && (
          <button
            type="button"
            aria-expanded={showsEarlier}
            onClick={() => setShowsEarlier(!showsEarlier)}
            className="rounded-2 text-small text-ink-3 underline decoration-line-2 hover:text-ink"
          >
            Edited, {showsEarlier ? 'hide' : 'show'} history
          </button>
        )}
        {onAnswer && doing === null && (
          <button type="button" onClick={() => setDoing('answer')} className={quietButtonClass}>
            Reply
          </button>
        )}
        {isOwn && doing === null && (
          <button type="button" onClick={() => setDoing('edit')} className={quietButtonClass}>
            Edit
          </button>
        )}
      </p>
      {doing === 'edit' ? (
        <CommentBox
          label="Comment"
          draft={`${recordId}.edit.${comment.id}`}
          initial={body}
          onSend={save}
          onCancel={() => setDoing(null)}
        />
      ) : (
        <Markdown text={body} mentions={mentions} className="text-ink-2" />
      )}
      {showsEarlier && (
        <ol aria-label="Edit history" className="mt-1.5 grid gap-1.5 border-l-2 border-hair pl-3">
          {edits.map((edit, index) => (
            <li key={`${edit.at} ${index}`}>
              <p className="text-small text-ink-3">
                until <AbsoluteTime iso={edit.at} />
              </p>
              <Markdown text={edit.body} className="text-ink-3" />
            </li>
          ))}
        </ol>
      )}
      {children}
      {doing === 'answer' && (
        <CommentBox
          label={`Reply to ${by}`}
          draft={`${recordId}.answer.${comment.id}`}
          onSend={answer}
          onCancel={() => setDoing(null)}
        />
      )}
    </article>
  );
}

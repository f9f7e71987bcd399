'use client';

import { useId, useRef } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ActionDescription } from '@/components/action-dialog/action-description';
import { ConfirmFooter } from '@/components/action-dialog/confirm-footer';
import { ListSkeleton } from '@/components/action-dialog/loaded-change-list';
import { Preview } from '@/components/action-dialog/preview';
import { useActionForm } from '@/components/action-dialog/use-action-form';
import { useViewed, type Viewed } from '@/components/action-dialog/use-viewed';
import { placeIn } from '@/components/queries/cluster';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { ErrorState } from '@/components/ui/error-state';
import type { ActionAnswer } from '@/lib/api/actions';

export interface ActionFormProps<Subject> {
  description: ActionDescription<Subject>;
  /** The object that the action changes. */
  query: UseQueryResult<Subject>;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onAnswer: (answer: ActionAnswer) => void;
}

/** The dialog that confirms an action: what it changes, what will happen, checks, dry run, reason, confirm. */
export function ActionForm<Subject>(props: ActionFormProps<Subject>) {
  const { description, query, open, onOpenChange } = props;
  const viewed = useViewed(query);
  if (viewed !== null) return <LoadedForm {...props} viewed={viewed} />;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      size={description.size}
      title={titleOf(description)}
      subtitle={subtitleOf(description)}
    >
      <DialogSection>
        {query.error ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} boxed={false} />
        ) : (
          <ListSkeleton rows={description.size === 'large' ? 6 : 3} />
        )}
      </DialogSection>
    </Dialog>
  );
}

function LoadedForm<Subject>({
  description,
  viewed,
  open,
  onOpenChange,
  onAnswer,
}: ActionFormProps<Subject> & { viewed: Viewed<Subject> }) {
  const id = useId();
  const confirmRef = useRef<HTMLButtonElement>(null);
  const { view, form } = useActionForm({ description, viewed, open, onAnswer });
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      size={description.size}
      title={titleOf(description, view.viewed)}
      subtitle={subtitleOf(description)}
      dismissible={!form.isReasonEdited && form.state.kind !== 'sending'}
      initialFocus={description.startsInField === true ? view.fieldRef : confirmRef}
      footer={
        <ConfirmFooter
          id={id}
          form={form}
          precondition={description.preconditionNote(view.viewed)}
          recheckedAt={view.isReloaded ? (view.preview.data?.dryRun?.at ?? null) : undefined}
          confirm={description.confirm(view)}
          confirmRef={confirmRef}
          onCancel={() => onOpenChange(false)}
          enabled={open}
        />
      }
    >
      {description.changedNotice(view)}
      {description.fields?.(view)}
      {description.body?.(view) ?? (
        <DialogSection className="grid gap-4 border-t border-hair empty:hidden">
          {view.isChanged ? (
            description.changed?.(view)
          ) : (
            <Preview view={view} diffFirst={description.replacesTemplate === true} />
          )}
        </DialogSection>
      )}
    </Dialog>
  );
}

/** Names the cluster where there are several, so that an action is never meant for another. */
function titleOf<Subject>({ title, object }: ActionDescription<Subject>, subject?: Subject): string {
  return title(subject) + placeIn(object.cluster);
}

function subtitleOf<Subject>({ subtitle, object }: ActionDescription<Subject>): React.ReactNode {
  return subtitle ?? `${object.namespace} / ${object.name}`;
}

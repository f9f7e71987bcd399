'use client';

import { Checkbox } from '@/components/action-dialog/checkbox';
import { CodeBlock } from '@/components/ui/code-text';
import { CopyButton } from '@/components/ui/copy-button';
import type { ActionAnswer } from '@/lib/api/actions';

/** Alternatives with kubectl: the command to copy, how kubectl treats annotations, and the exact request. */
export function KubectlOptions({
  plan,
  likeKubectl = false,
  onLikeKubectl,
}: {
  plan: ActionAnswer['plan'];
  /** Absent where kubectl does the same. */
  likeKubectl?: boolean;
  onLikeKubectl?: (like: boolean) => void;
}) {
  if (!plan && !onLikeKubectl) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-6 gap-y-1.5 border-t border-hair pt-2.5 text-small">
      {onLikeKubectl && (
        <Checkbox checked={likeKubectl} onChange={onLikeKubectl}>
          <span>
            Match <code>kubectl rollout undo</code>{' '}
            <span className="text-ink-3">(also restores that revision’s annotations)</span>
          </span>
        </Checkbox>
      )}
      {plan && (
        <details className="open:order-last open:w-full">
          <summary className="w-fit cursor-pointer rounded-2 text-ink-3 hover:text-ink max-desk:py-2">
            Show request
          </summary>
          <CodeBlock
            label="Request"
            text={[plan.request, ...(plan.then ? [plan.then] : [])].map(requestText).join('\n\n')}
            className="mt-1.5 [&>pre]:max-h-[260px]"
          />
        </details>
      )}
      {plan && !plan.kubectl.startsWith('#') && (
        <span className="inline-flex flex-wrap gap-2 desk:ml-auto">
          <CopyButton
            size="small"
            tone="quiet"
            glyph="terminal"
            label="Copy kubectl command"
            text={plan.kubectl}
          >
            Copy kubectl command
          </CopyButton>
        </span>
      )}
    </div>
  );
}

function requestText({ method, path, body }: { method: string; path: string; body?: unknown }): string {
  return `${method} ${path}\n${JSON.stringify(body, null, 2)}`;
}
